// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "control/Server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "OwnThread.h"
#include "wire/SocketFolder.h"

namespace graphprof {

namespace {

constexpr int mostMadeAnew = 10;
constexpr int busyMs = 5;         // between two looks at recordings
constexpr int patienceMs = 1'000; // between two looks at who is slow, while anybody is connected

// For leave() and inChild(): what they need without a lock. There is one server in a process, and a
// child has a copy of its parent's.
struct Made {
  std::atomic<pid_t> process{0};
  std::array<char, sizeof(sockaddr_un::sun_path)> path{}; // written before `process`
  // Ours, as long as they lead to the socket at that path.
  std::array<std::atomic<int>, ControlServer::most + 1> descriptors{};
} made;

bool leadsToOurs(int descriptor) noexcept {
  sockaddr_un address{};
  socklen_t size = sizeof address;
  return ::getsockname(descriptor, reinterpret_cast<sockaddr *>(&address), &size) == 0 &&
         address.sun_family == AF_UNIX &&
         std::strncmp(address.sun_path, made.path.data(), sizeof address.sun_path) == 0;
}

void note(int descriptor) noexcept {
  for (std::atomic<int> &each : made.descriptors)
    if (int none = 0; each.compare_exchange_strong(none, descriptor + 1))
      return;
}
void forget(int descriptor) noexcept {
  for (std::atomic<int> &each : made.descriptors)
    if (int known = descriptor + 1; each.compare_exchange_strong(known, 0))
      return;
}

} // namespace

ControlServer::ControlServer(Session &session, Windows &windows, Commands::Process process)
    : session_(session), process_(process), commands_(session, windows, std::move(process)) {}

std::string ControlServer::listen() {
  auto folder = wire::makeSocketFolder();
  if (!folder)
    return folder.why();
  constexpr int names = 9; // as many namespaces may share the folder
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket < 0)
    return fmt::format("no socket: {}", std::strerror(errno));
  Descriptor own(socket);
  std::string path;
  for (int number = 1; number <= names; ++number) {
    path = *folder + "/" + wire::socketName(::getpid(), number);
    sockaddr_un address{};
    if (!wire::addressOf(path, address))
      return fmt::format("{} is too long for a socket; set XDG_RUNTIME_DIR to a shorter path",
                         path);
    const auto bind = [&] { // errno, or 0
      return ::bind(own.number(), reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0
                 ? 0
                 : errno;
    };
    int error = bind();
    // Of a process that is gone, of what this process was before exec(), or of another namespace.
    if (error == EADDRINUSE) {
      const int other = wire::connectTo(path);
      if (other >= 0)
        ::close(other);
      else if (other == -ECONNREFUSED && ::unlink(path.c_str()) == 0)
        error = bind();
    }
    if (error == 0)
      break;
    if (number == names || error != EADDRINUSE)
      return fmt::format("{}: {}", path, std::strerror(error));
  }
  ::chmod(path.c_str(), S_IRUSR | S_IWUSR);
  if (::listen(own.number(), static_cast<int>(most)) != 0) {
    const int error = errno;
    ::unlink(path.c_str());
    return fmt::format("{}: {}", path, std::strerror(error));
  }
  std::copy(path.begin(), path.end(), made.path.begin());
  made.path[path.size()] = '\0';
  note(own.number());
  made.process.store(::getpid());
  listening_ = std::move(own);
  return {};
}

std::string ControlServer::start() {
  if (std::string why = listen(); !why.empty())
    return why;
  session_.launches.countFromNowOn();
  startOwnThread([this] { run(); });
  return {};
}

void ControlServer::leave() noexcept {
  // A file that is being closed is soon complete.
  constexpr int mostMs = 2'000;
  constexpr timespec pause{0, 1'000'000};
  for (int ms = 0; ms < mostMs && Recordings::closing() > 0; ++ms)
    ::nanosleep(&pause, nullptr);
  if (made.process.load() == ::getpid())
    ::unlink(made.path.data());
}

void ControlServer::inChild() noexcept {
  if (made.process.load() == 0)
    return;
  for (std::atomic<int> &each : made.descriptors)
    if (const int descriptor = each.exchange(0) - 1; descriptor >= 0 && leadsToOurs(descriptor))
      ::close(descriptor);
  made.process.store(0);
}

void ControlServer::run() noexcept {
  for (;;) {
    try {
      turn();
      if (!listening_.isOpen())
        return;
    } catch (...) { // no memory: whoever is connected has to connect again
      for (const auto &connection : connections_)
        commands_.left(connection->id());
      for (const auto &connection : connections_)
        forget(connection->descriptor());
      connections_.clear();
      constexpr timespec pause{0, 100'000'000};
      ::nanosleep(&pause, nullptr);
    }
  }
}

void ControlServer::turn() {
  if (!listening_.isOurs()) { // the program has closed it
    forget(listening_.number());
    (void)listening_.close();
    leave();
    if (++madeAnew_ > mostMadeAnew || !listen().empty()) {
      session_.say("the control socket is gone: the program has closed it");
      return;
    }
  }
  std::int64_t nowNs = process_.now();
  std::vector<pollfd> polled;
  polled.reserve(connections_.size() + 1);
  polled.push_back({listening_.number(), POLLIN, 0});
  int waitMs = connections_.empty() ? -1 : patienceMs;
  for (const auto &connection : connections_) {
    short events = 0; // without any, the end of the other side is still told
    if (connection->wantsToWrite())
      events = POLLOUT;
    else if (connection->awaited)
      events = connection->hurried ? 0 : POLLRDHUP;
    else if (connection->wantsToRead(nowNs))
      events = POLLIN;
    const bool pauses = events == 0 && !connection->awaited;
    if (pauses)
      waitMs = std::min<int>(waitMs,
                             1 + static_cast<int>((connection->readAgainNs() - nowNs) / 1'000'000));
    else if (events == POLLIN && connection->hasLine())
      waitMs = 0;
    polled.push_back({pauses ? -1 : connection->descriptor(), events, 0});
  }
  if (commands_.busy())
    waitMs = waitMs < 0 ? busyMs : std::min(waitMs, busyMs);
  if (::poll(polled.data(), polled.size(), waitMs) < 0 && errno != EINTR)
    return;
  nowNs = process_.now();
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    Connection &connection = *connections_[i];
    const pollfd &of = polled[i + 1];
    if (of.revents || (of.events == POLLIN && connection.hasLine()))
      handle(connection, of.revents, nowNs);
    connection.checkPatience(nowNs);
  }
  for (const Commands::Late &late : commands_.proceed())
    for (const auto &connection : connections_)
      if (connection->id() == late.asker) {
        connection->awaited = false;
        connection->write(late.line, nowNs);
      }
  removeEnded();
  if (polled[0].revents & POLLIN)
    accept(nowNs);
}

void ControlServer::accept(std::int64_t nowNs) {
  if (!listening_.isOurs()) // closed meanwhile
    return;
  const int socket = ::accept4(listening_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (socket < 0)
    return;
  if (!wire::isOfThisUser(socket)) {
    ::close(socket);
    return;
  }
  auto connection = std::make_unique<Connection>(++lastId_, socket, nowNs);
  if (connections_.size() >= most) {
    connection->write(R"({"ok":false,"error":"too many are connected to this process"})", nowNs);
    return;
  }
  note(connection->descriptor());
  connections_.push_back(std::move(connection));
}

void ControlServer::handle(Connection &connection, short events, std::int64_t nowNs) {
  if (connection.awaited) { // the other side wants its answer now, or is gone
    connection.hurried = true;
    commands_.hurry(connection.id());
    if (events & (POLLHUP | POLLERR | POLLNVAL))
      connection.drop();
    return;
  }
  if (connection.wantsToWrite())
    return connection.writeMore(nowNs);
  const std::optional<std::string> line = connection.read(nowNs);
  if (!line)
    return;
  const Commands::Answer answer = commands_.answer(connection.id(), *line);
  connection.watches = connection.watches || answer.watches;
  if (answer.ends)
    connection.endAfterwards();
  if (answer.line.empty())
    connection.awaited = true, connection.hurried = false;
  else
    connection.write(answer.line, nowNs);
}

void ControlServer::removeEnded() {
  for (auto each = connections_.begin(); each != connections_.end();) {
    if ((*each)->isOpen()) {
      ++each;
      continue;
    }
    commands_.left((*each)->id());
    forget((*each)->descriptor());
    each = connections_.erase(each);
  }
}

} // namespace graphprof
