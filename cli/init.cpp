#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>

#include "exit_status.h"
#include "shardproof/case/error.h"
#include "share.h"
#include "verbs.h"
#include "whole_file.h"

namespace shardproof::cli {
namespace {

struct Template {
  std::string_view name;
  std::string_view source;   ///< in cli/share/
  std::string_view file;     ///< what it is called unless said
  std::string_view command;  ///< how it is checked; {} is its file
};

/// What stands beside a subject that uses it.
struct Companion {
  std::string_view ending;  ///< of the subject
  std::string_view source;  ///< from cli/share/
  std::string_view file;
  std::string_view use;
};

constexpr Companion kCompanions[] = {
    {".py", "shardproof.py", "shardproof.py", "imports"},
    {".c", "../../harness/include/shardproof/subject/plugin.h", "shardproof_plugin.h", "includes"},
};
constexpr Template kTemplates[] = {
    {"c", "init/reducer.c", "my_reducer.c",
     "cc -std=c11 -O2 -ffp-contract=off -fPIC -shared {} -o libmy_reducer.so && shardproof check "
     "./libmy_reducer.so"},
    {"python", "init/python.py", "my_reducer.py", "shardproof check -- python3 {}"},
    {"torch-hook", "init/torch_hook.py", "my_hook.py",
     "shardproof check -- python3 shardproof.py --ranks 4 {}"},
    {"torch-step", "init/torch_step.py", "my_step.py",
     "shardproof check -- python3 shardproof.py --ranks 4 {}"},
    {"jax-step", "init/jax_step.py", "my_step.py", "shardproof check --warmup 10 -- python3 {}"},
};

const Template& template_of(const std::string& name) {
  const auto* const found = std::ranges::find(kTemplates, name, &Template::name);
  if (found != std::end(kTemplates)) return *found;
  std::string known;
  for (const Template& each : kTemplates) {
    known += (known.empty() ? "" : ", ") + std::string(each.name);
  }
  throw InputError("", (name.empty() ? "no KIND of file" : "no such KIND of file: `" + name + "`") +
                           "; known: " + known);
}

std::string_view text_of(std::string_view name) {
  return std::ranges::find(shared_files(), name, &SharedFile::name)->text;
}

std::string with_file(std::string_view command, const std::string& file) {
  std::string text(command);
  return text.replace(text.find("{}"), 2, file);
}

}  // namespace

int init(const InitRequest& request) {
  namespace fs = std::filesystem;
  const Template& wanted = template_of(request.kind);
  const std::string file = request.file.empty() ? std::string(wanted.file) : request.file;
  if (fs::exists(file)) throw InputError("", file + " is there already, and is not overwritten");
  check_writable("FILE", file);
  write_whole_file(file, text_of(wanted.source));
  std::printf("wrote %s: fill in the places marked FILL IN\n", file.c_str());
  for (const Companion& companion : kCompanions) {
    if (!wanted.source.ends_with(companion.ending)) continue;
    const std::string beside = (fs::path(file).parent_path() / companion.file).string();
    if (fs::exists(beside)) continue;
    write_whole_file(beside, text_of(companion.source));
    std::printf("wrote %s, which it %s\n", beside.c_str(), std::string(companion.use).c_str());
  }
  std::printf("run   %s\n", with_file(wanted.command, file).c_str());
  return kNothingRefuted;
}

}  // namespace shardproof::cli
