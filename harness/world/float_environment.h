#pragma once

namespace shardproof::world {

/// Puts this thread back to rounding to nearest and to gradual underflow.
///
/// A thread inherits the state of its creator (a library built with -ffast-math may have set flush
/// to zero for the whole process), and a subject may leave its own state behind on a rank's thread.
/// Every trial therefore begins with this; a subject that wants another state sets it itself.
void reset_float_environment();

}  // namespace shardproof::world
