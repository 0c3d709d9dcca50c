#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "subject/process/descriptors.h"

namespace shardproof {

/// What one process that has connected sends and is sent. Never waits.
class Connection {
 public:
  /// \param readiness  an epoll descriptor at which it registers
  Connection(Descriptor socket, int readiness);

  void send(std::string_view bytes);
  /// Sends and receives what is possible at once.
  void turn();
  [[nodiscard]] std::string& received() { return incoming_; }
  [[nodiscard]] bool closed() const { return closed_; }

 private:
  void flush();
  void receive();
  void wait_for_room(bool wait);

  Descriptor socket_;
  int readiness_;
  bool waits_for_room_ = false;
  bool closed_ = false;
  std::string outgoing_;
  std::size_t sent_ = 0;
  std::string incoming_;
};

/// A Unix socket in a fresh directory that only this user may enter, and who has connected to it.
class SocketServer {
 public:
  /// \param directory  where its own directory is made
  /// \throws std::system_error
  explicit SocketServer(const std::string& directory);
  ~SocketServer();
  SocketServer(const SocketServer&) = delete;
  SocketServer& operator=(const SocketServer&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Readable where `turn` has something to do.
  [[nodiscard]] int readiness() const { return readiness_.get(); }
  /// Accepts, sends and receives what is possible at once.
  void turn();
  /// Lets nobody in any more, and removes the directory.
  void stop_listening();
  [[nodiscard]] const std::vector<std::unique_ptr<Connection>>& connections() const {
    return connections_;
  }

 private:
  std::string own_directory_;
  std::string path_;
  Descriptor readiness_;
  Descriptor listener_;
  std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace shardproof
