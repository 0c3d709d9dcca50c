#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "shardproof/subject/launcher.h"
#include "shardproof/subject/subject.h"

namespace shardproof {

/// A subject of a shared library that exports the table of `plugin.h`, executed in a worker
/// process.
///
/// Whatever it does there becomes an outcome: a crash or an exit is Died, no answer in time is
/// TimedOut; the next trial then finds a fresh worker. Its name is the path, as it was given.
///
/// \param startup  how long loading it and its `open` may take
/// \throws StartError         in one line, when it cannot be loaded
/// \throws std::system_error  when no process can be started
std::unique_ptr<Subject> library_subject(
    const std::string& path, const Launcher& launcher = {},
    std::chrono::nanoseconds startup = std::chrono::seconds(60));

}  // namespace shardproof
