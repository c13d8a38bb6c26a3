// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Talks to processes over their control sockets (docs/production.md has the protocol).

#ifndef GRAPHPROF_TOOL_GRAPHPROF_CLIENT_H
#define GRAPHPROF_TOOL_GRAPHPROF_CLIENT_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace graphprof::tool {

/// A connection. One thread at a time.
class Client {
public:
  using Milliseconds = std::chrono::milliseconds;

  /// Null if nobody answers there; then `why` says why, as a sentence without a full stop. Removes
  /// the file of a process that is gone.
  [[nodiscard]] static std::unique_ptr<Client> connect(const std::string &path, std::string &why);
  ~Client();
  Client(const Client &) = delete;
  Client &operator=(const Client &) = delete;

  /// Sends a request and returns the answer, an object with the member "ok". If that cannot be had
  /// within `most`, its "ok" is false, and "error" says why. If `*hurry` becomes true, asks for
  /// what there is until then.
  [[nodiscard]] nlohmann::json ask(const nlohmann::json &request, Milliseconds most,
                                   const std::atomic<bool> *hurry = nullptr);
  /// Is it of no use any more, because an answer did not come?
  [[nodiscard]] bool isBroken() const { return broken_; }

private:
  explicit Client(int socket) : socket_(socket) {}
  [[nodiscard]] nlohmann::json broken(std::string_view why);

  const int socket_;
  std::string in_;
  bool broken_ = false;
};

/// A process, and how to reach it.
struct Reached {
  std::int64_t pid = 0;
  std::string path;
  std::unique_ptr<Client> client; ///< null: it does not answer
  std::string why;                ///< why not
};
/// All processes of this user that have a socket. Those that are gone are left out.
[[nodiscard]] std::vector<Reached> reachAll();
/// The process `pid`; without a client if it cannot be reached.
[[nodiscard]] Reached reach(std::int64_t pid);

/// What is said where there is no process.
[[nodiscard]] std::string nobody();

/// Reads a process's number; 0 if it is none.
[[nodiscard]] std::int64_t readPid(std::string_view text);

} // namespace graphprof::tool

#endif // GRAPHPROF_TOOL_GRAPHPROF_CLIENT_H
