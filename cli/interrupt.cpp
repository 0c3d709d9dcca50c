#include "interrupt.h"

#include <unistd.h>

#include <csignal>

#include "exit_status.h"

namespace shardproof::cli {
namespace {

volatile std::sig_atomic_t asked_to_stop = 0;

void on_interrupt(int /*signal*/) {
  // Nothing but this is allowed in a signal handler.
  if (asked_to_stop != 0) _exit(kInterrupted);
  asked_to_stop = 1;
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);  // as CI ends a job that takes too long
}

bool interrupted() { return asked_to_stop != 0; }

}  // namespace shardproof::cli
