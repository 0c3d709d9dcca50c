#include "subject/plugin/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "shardproof/case/error.h"
#include "shardproof/subject/launcher.h"

namespace shardproof {
namespace {

/// A table that ends before them has no function of any kind.
constexpr std::size_t kLeastSize = offsetof(shardproof_plugin, open);

std::string failure_of_dl() {
  const char* text = dlerror();
  return text == nullptr ? "unknown error" : text;
}

const char* missing_function(const shardproof_plugin& table) {
  switch (table.kind) {
    case SHARDPROOF_COLLECTIVE:
      return table.collective == nullptr ? "collective" : nullptr;
    case SHARDPROOF_HOOK:
      return table.hook == nullptr ? "hook" : nullptr;
    case SHARDPROOF_REDUCER:
      return table.contribute == nullptr ? "contribute" : nullptr;
    case SHARDPROOF_TRAIN_STEP:
      return table.train_step == nullptr ? "train_step" : nullptr;
    default:
      return table.reduce_all == nullptr ? "reduce_all" : nullptr;
  }
}

/// What is claimed for code that this library did not compile: subnormals may be flushed. A
/// collective and a hook see no counts, so they cannot weigh by them.
Claim usual_claim(std::int32_t kind) {
  Claim claim;
  claim.flush = Flush::either;
  if (kind == SHARDPROOF_COLLECTIVE || kind == SHARDPROOF_HOOK) claim.target = Target::sum;
  return claim;
}

}  // namespace

Library::Library(const std::string& path) {
  // A name without a slash would be looked for among the system's libraries.
  const std::string absolute = std::filesystem::absolute(path).string();
  handle_ = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) throw StartError("not loaded: " + failure_of_dl());
  using MakeTable = const shardproof_plugin* (*)();
  const auto make = reinterpret_cast<MakeTable>(dlsym(handle_, "shardproof_plugin_table"));
  if (make == nullptr) throw StartError(path + ": exports no shardproof_plugin_table");
  const shardproof_plugin* table = make();
  if (table == nullptr) throw StartError(path + ": shardproof_plugin_table returned NULL");
  if (table->size < kLeastSize) {
    throw StartError(path + ": its table says a size of " + std::to_string(table->size) +
                     " bytes, which is none");
  }
  std::memcpy(&table_, table, std::min(table->size, sizeof table_));
  check_table(path);
  name_ = table_.name != nullptr ? table_.name : std::filesystem::path(path).stem().string();
  try {
    claim_ = with_settings(usual_claim(table_.kind), table_.claim == nullptr ? "" : table_.claim);
  } catch (const InputError& error) {
    throw StartError(path + ": " + error.what());
  }
}

void Library::check_table(const std::string& path) const {
  if (table_.version != SHARDPROOF_PLUGIN_VERSION) {
    throw StartError(path + ": was built for version " + std::to_string(table_.version) +
                     " of the plug-in interface; this is version " +
                     std::to_string(SHARDPROOF_PLUGIN_VERSION));
  }
  if (table_.kind < SHARDPROOF_COLLECTIVE || table_.kind > SHARDPROOF_ALL_AT_ONCE) {
    throw StartError(path + ": kind " + std::to_string(table_.kind) + " is none of 0 to " +
                     std::to_string(SHARDPROOF_ALL_AT_ONCE));
  }
  if (const char* missing = missing_function(table_)) {
    throw StartError(path + ": is of kind " + std::to_string(table_.kind) + ", whose function `" +
                     missing + "` is NULL");
  }
}

Library::~Library() {
  if (opened_ && table_.close != nullptr) table_.close(state_);
  // It stays loaded: threads that it started may still run its code.
}

void Library::open(const Claim& claim) {
  if (table_.open != nullptr) {
    const std::string text = settings(claim);
    const shardproof_run run{.size = sizeof run, .claim = text.c_str()};
    if (const int status = table_.open(&run, &state_); status != SHARDPROOF_OK) {
      throw StartError(name_ + ": open returned " + std::to_string(status));
    }
  }
  opened_ = true;
}

}  // namespace shardproof
