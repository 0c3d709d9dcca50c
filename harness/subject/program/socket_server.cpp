#include "subject/program/socket_server.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace shardproof {
namespace {

constexpr std::size_t kPiece = 1U << 16;
constexpr int kPiecesAtOnce = 16;
constexpr std::size_t kMostConnections = 256;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void watch(int readiness, int operation, int descriptor, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  epoll_ctl(readiness, operation, descriptor, &event);
}

std::string private_directory(const std::string& parent) {
  std::string name = parent + "/shardproof-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) fail(name.c_str());  // mode 700
  return name;
}

Descriptor listening_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    fail(path.c_str());
  }
  path.copy(address.sun_path, path.size());
  Descriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener.is_open()) fail("socket");
  if (bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener.get(), static_cast<int>(kMostConnections)) != 0) {
    fail(path.c_str());
  }
  return listener;
}

}  // namespace

Connection::Connection(Descriptor socket, int readiness)
    : socket_(std::move(socket)), readiness_(readiness) {
  watch(readiness_, EPOLL_CTL_ADD, socket_.get(), EPOLLIN);
}

void Connection::wait_for_room(bool wait) {
  if (wait == waits_for_room_) return;
  waits_for_room_ = wait;
  watch(readiness_, EPOLL_CTL_MOD, socket_.get(), wait ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void Connection::send(std::string_view bytes) {
  outgoing_.append(bytes);
  flush();
}

void Connection::flush() {
  while (!closed_ && sent_ < outgoing_.size()) {
    const ssize_t count =
        ::send(socket_.get(), outgoing_.data() + sent_, outgoing_.size() - sent_, MSG_NOSIGNAL);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return wait_for_room(true);
    // It no longer reads: what it answers, or how it ends, says more than this.
    sent_ = count < 0 ? outgoing_.size() : sent_ + static_cast<std::size_t>(count);
  }
  outgoing_.clear();
  sent_ = 0;
  if (!closed_) wait_for_room(false);
}

void Connection::receive() {
  // Not for good: it may write faster than this reads.
  for (int piece = 0; piece < kPiecesAtOnce && !closed_; ++piece) {
    const std::size_t before = incoming_.size();
    incoming_.resize(before + kPiece);
    const ssize_t count = read(socket_.get(), incoming_.data() + before, kPiece);
    incoming_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count > 0) continue;
    closed_ = true;
    socket_.reset();  // which unregisters it
  }
}

void Connection::turn() {
  receive();
  flush();
}

SocketServer::SocketServer(const std::string& directory)
    : own_directory_(private_directory(directory)), path_(own_directory_ + "/socket") {
  try {
    readiness_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
    if (!readiness_.is_open()) fail("epoll");
    listener_ = listening_at(path_);
  } catch (...) {
    stop_listening();
    throw;
  }
  watch(readiness_.get(), EPOLL_CTL_ADD, listener_.get(), EPOLLIN);
}

SocketServer::~SocketServer() { stop_listening(); }

void SocketServer::stop_listening() {
  if (own_directory_.empty()) return;
  listener_.reset();
  unlink(path_.c_str());
  rmdir(own_directory_.c_str());
  own_directory_.clear();
}

void SocketServer::turn() {
  while (listener_.is_open() && connections_.size() < kMostConnections) {
    Descriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.is_open()) break;
    connections_.push_back(std::make_unique<Connection>(std::move(socket), readiness_.get()));
  }
  for (const auto& connection : connections_) connection->turn();
}

}  // namespace shardproof
