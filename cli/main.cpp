#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <system_error>

#include "exit_status.h"
#include "options.h"
#include "shardproof/case/error.h"
#include "shardproof/subject/launcher.h"
#include "shardproof/subject/supervisor.h"
#include "shardproof/subject/worker.h"
#include "shardproof/world/world.h"
#include "standard_streams.h"
#include "verbs.h"

namespace shardproof::cli {
namespace {

struct Perform {
  int operator()(const CheckRequest& request) const { return check(request); }
  int operator()(const ReplayRequest& request) const { return replay(request); }
  int operator()(const ExplainRequest& request) const { return explain(request); }
  int operator()(const BoundRequest& request) const { return bound(request); }
  int operator()(const ClaimRequest& request) const { return claim(request); }
  int operator()(const SoakRequest& request) const { return soak(request); }
  int operator()(const ListRequest& request) const {
    return request.faults ? list_faults() : list();
  }
  int operator()(const DemoRequest& /*request*/) const { return demo(); }
  int operator()(const MutateRequest& request) const { return mutate(request); }
  int operator()(const InitRequest& request) const { return init(request); }
  int operator()(const GenerateRequest& request) const { return generate(request); }
  int operator()(const JudgeRequest& request) const { return judge(request); }
  int operator()(const HelpRequest& request) const {
    std::fputs(request.text.c_str(), stdout);
    return kNothingRefuted;
  }
};

ExitStatus complain(std::string verb, std::string what, ExitStatus status) {
  if (!verb.empty()) verb.insert(0, 1, ' ');
  std::fflush(stdout);  // what was found so far comes first
  // One line, whatever an argument or a library put into the text.
  std::ranges::replace(what, '\n', ' ');
  std::fprintf(stderr, "shardproof%s: %s\n", verb.c_str(), what.c_str());
  return status;
}

int run(int count, char** arguments) {
  const std::string verb = verb_of(count, arguments);
  try {
    const Request request = parse_arguments(count, arguments);
    const int status = std::visit(Perform{}, request);
    flush_stdout();
    return status;
  } catch (const InputError& error) {
    return complain(verb, error.what(), kBadInput);
  } catch (const StartError& error) {
    return complain(verb, "the subject could not be started: " + std::string(error.what()),
                    kNotStarted);
  } catch (const std::system_error& error) {
    return complain(verb, "the subject could not be started: " + std::string(error.what()),
                    kNotStarted);
  } catch (const std::exception& error) {
    return complain(verb, "internal error: " + std::string(error.what()), kInternal);
  } catch (...) {
    return complain(verb, "internal error", kInternal);
  }
}

}  // namespace
}  // namespace shardproof::cli

int main(int count, char** arguments) {
  if (count > 1 && arguments[1] == shardproof::kSupervise) {
    return shardproof::supervise(count, arguments);
  }
  if (count > 1 && arguments[1] == shardproof::kWork) return shardproof::work(count, arguments);
  shardproof::cli::guard_standard_streams();
  const int status = shardproof::cli::run(count, arguments);
  // An abandoned thread may still run: static objects must not be destroyed under it.
  if (shardproof::any_thread_abandoned()) std::_Exit(status);
  return status;
}
