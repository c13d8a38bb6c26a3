// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Client.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/SocketFolder.h"

namespace graphprof::tool {

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t longestAnswer = 64U << 20;

} // namespace

std::unique_ptr<Client> Client::connect(const std::string &path, std::string &why) {
  const int socket = wire::connectTo(path);
  if (socket == -ECONNREFUSED) {
    ::unlink(path.c_str());
    why = "it is gone";
    return nullptr;
  }
  if (socket < 0) {
    why = socket == -EAGAIN ? "too many others wait to be heard" : std::strerror(-socket);
    return nullptr;
  }
  if (!wire::isOfThisUser(socket)) {
    ::close(socket);
    why = "another user's process listens there";
    return nullptr;
  }
  return std::unique_ptr<Client>(new Client(socket));
}

Client::~Client() { ::close(socket_); }

Json Client::broken(std::string_view why) {
  broken_ = true;
  return {{"ok", false}, {"error", why}};
}

Json Client::ask(const Json &request, Milliseconds most, const std::atomic<bool> *hurry) {
  if (broken_)
    return broken("it did not answer before");
  const std::string line = request.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::size_t sent = 0;
  bool hurried = false;
  auto until = Clock::now() + most;
  std::array<char, 65536> piece; // NOLINT(*-member-init): written before it is read
  for (;;) {
    if (hurry && hurry->load() && !std::exchange(hurried, true)) {
      ::shutdown(socket_, SHUT_WR);
      until = Clock::now() + std::chrono::seconds(30);
    }
    const auto left = std::chrono::duration_cast<Milliseconds>(until - Clock::now()).count();
    if (left <= 0)
      return broken("it does not answer in time");
    pollfd polled{socket_, static_cast<short>(sent < line.size() ? POLLOUT : POLLIN), 0};
    if (::poll(&polled, 1, static_cast<int>(std::min<long>(left, 200))) <= 0)
      continue;
    const ssize_t size =
        sent < line.size()
            ? ::send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT)
            // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection): MSG_DONTWAIT
            : ::recv(socket_, piece.data(), piece.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
      continue;
    if (size <= 0)
      return broken("it closed the connection");
    if (sent < line.size()) {
      sent += static_cast<std::size_t>(size);
      continue;
    }
    in_.append(piece.data(), static_cast<std::size_t>(size));
    const std::size_t end = in_.find('\n');
    if (end == std::string::npos) {
      if (in_.size() > longestAnswer)
        return broken("its answer is too long");
      continue;
    }
    Json answer = Json::parse(in_.substr(0, end), nullptr, false);
    in_.erase(0, end + 1);
    if (!answer.is_object() || !answer.contains("ok") || !answer["ok"].is_boolean())
      return broken("its answer is not understood; it may have another version of graphprof");
    return answer;
  }
}

std::vector<Reached> reachAll() {
  std::vector<Reached> all;
  for (const wire::SocketFile &file : wire::socketFiles()) {
    Reached reached{file.pid, file.path, nullptr, {}};
    reached.client = Client::connect(file.path, reached.why);
    if (reached.client || reached.why != "it is gone")
      all.push_back(std::move(reached));
  }
  return all;
}

Reached reach(std::int64_t pid) {
  Reached found;
  found.pid = pid;
  for (const wire::SocketFile &file : wire::socketFiles()) {
    if (file.pid != pid)
      continue;
    found.path = file.path;
    found.client = Client::connect(file.path, found.why);
    if (found.client)
      return found;
  }
  if (found.why.empty() || found.why == "it is gone") {
    std::error_code none;
    found.why = std::filesystem::exists(fmt::format("/proc/{}", pid), none)
                    ? "it has no control socket: start it with graphprof run, or with "
                      "GRAPHPROF_CONTROL=1, as the same user; a process has one from its first "
                      "CUDA call on"
                    : "there is no such process; see graphprof ps";
  }
  return found;
}

std::string nobody() {
  return "no process of yours can be reached; start it with graphprof run, or with "
         "GRAPHPROF_CONTROL=1. A process can be reached from its first CUDA call on";
}

std::int64_t readPid(std::string_view text) {
  std::int64_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  return error == std::errc() && end == text.data() + text.size() && pid > 0 ? pid : 0;
}

} // namespace graphprof::tool
