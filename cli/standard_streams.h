#pragma once

namespace shardproof::cli {

/// Sees to it that what is printed to a stdout or stderr that is closed is an error, and does not
/// go into whatever file happened to get its number. Called once, first.
void guard_standard_streams();

/// Hands over all that was printed.
/// \throws InputError  when some of it could not be written, now or before
void flush_stdout();

}  // namespace shardproof::cli
