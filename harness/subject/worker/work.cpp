#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "shardproof/case/error.h"
#include "shardproof/subject/launcher.h"
#include "shardproof/subject/worker.h"
#include "subject/plugin/plugin_subject.h"
#include "subject/process/descriptors.h"
#include "subject/worker/messages.h"
#include "subject/worker/wire.h"

namespace shardproof {
namespace {

/// The worker's end of the conversation, frame by frame.
class Channel {
 public:
  void send(const std::string& payload) const {
    const std::string bytes = frame(payload);
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t count =
          ::send(kChannelOfChild, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count < 0 && errno != EINTR) _exit(1);  // nobody listens any more
      if (count > 0) sent += static_cast<std::size_t>(count);
    }
  }

  /// Nothing where the harness has closed its end.
  std::optional<std::string> receive() {
    while (true) {
      if (auto payload = take_frame(received_)) return payload;
      char piece[1 << 16];
      const ssize_t count = read(kChannelOfChild, piece, sizeof piece);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return std::nullopt;
      received_.append(piece, static_cast<std::size_t>(count));
    }
  }

 private:
  std::string received_;
};

/// A plug-in, and the claim under which it is executed.
class Served {
 public:
  WorkerHello load(const std::string& path) {
    library_ = std::make_shared<Library>(path);
    return {.failure = {},
            .name = library_->name(),
            .kind = library_->kind(),
            .claim = settings(library_->claim())};
  }
  WorkerHello put_under(const Claim& claim) {
    if (subject_ == nullptr) library_->open(claim);
    subject_ = plugin_subject(library_, claim);
    return {.failure = {}, .name = library_->name(), .kind = library_->kind(), .claim = {}};
  }
  Outcome run(WorkerTask task) {
    return subject_->run(std::make_shared<const Case>(std::move(task.problem)),
                         {.timeout = task.timeout});
  }

 private:
  std::shared_ptr<Library> library_;
  std::unique_ptr<Subject> subject_;
};

/// What an action answers, or why it failed.
template <class Action>
WorkerHello hello_after(const Action& action) {
  try {
    return action();
  } catch (const std::exception& error) {
    return {.failure = error.what(), .name = {}, .kind = 0, .claim = {}};
  }
}

}  // namespace

int work(int count, char** arguments) {
  constexpr int kArguments = 3;
  if (count != kArguments) return 1;
  // Where even the supervisor is killed.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Channel channel;
  Served plugin;
  const WorkerHello hello = hello_after([&] { return plugin.load(arguments[2]); });
  channel.send(to_bytes(hello));
  if (!hello.failure.empty()) return 1;
  while (const std::optional<std::string> message = channel.receive()) {
    if (const auto claim = claim_in(*message)) {
      channel.send(
          to_bytes(hello_after([&] { return plugin.put_under(with_settings(Claim{}, *claim)); })));
    } else {
      channel.send(to_bytes(plugin.run(task_in(*message))));
    }
  }
  return 0;
}

}  // namespace shardproof
