#pragma once

namespace shardproof::cli {

/// From now on the first SIGINT or SIGTERM only asks to stop; a second one leaves at once.
void catch_interrupts();

/// Whether the user asked to stop.
bool interrupted();

}  // namespace shardproof::cli
