// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The control socket: lets the user's other processes ask this one what it records, and tell it
// (Commands.h). A thread of its own answers them. The program never waits for it, and it costs
// nothing while nobody is connected.
//
// What must not matter to the program, and how it is prevented:
// - Fork: the child closes what it inherited (inChild), so that others see the parent's end.
// - Exec, and an end without exit(): sockets are closed; the file in the folder is found to be dead
//   by whoever connects, and removed.
// - A program that closes descriptors that it does not know: each is checked before it is used
//   (output/io/Descriptor.h). The socket is made anew.
// - Floods, garbage, slow readers: Connection.h.

#ifndef GRAPHPROF_CONTROL_SERVER_H
#define GRAPHPROF_CONTROL_SERVER_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "control/Commands.h"
#include "control/Connection.h"
#include "output/io/Descriptor.h"

namespace graphprof {

class ControlServer {
public:
  ControlServer(Session &session, Windows &windows, Commands::Process process);

  /// At most so many are connected at once.
  static constexpr std::size_t most = 16;

  /// Makes the socket and starts the thread. Returns an empty text, or why not. The server must not
  /// be destroyed then.
  [[nodiscard]] std::string start();
  /// At the process's end, on any thread: waits until recordings are in their files, two seconds at
  /// most, and removes the socket's file. Takes no lock.
  static void leave() noexcept;
  /// Call this in a forked child.
  static void inChild() noexcept;

private:
  [[nodiscard]] std::string listen();
  void run() noexcept;
  void turn();
  void accept(std::int64_t nowNs);
  void handle(Connection &connection, short events, std::int64_t nowNs);
  void removeEnded();

  Session &session_;
  const Commands::Process process_;
  Commands commands_;
  Descriptor listening_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::uint64_t lastId_ = 0;
  int madeAnew_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_CONTROL_SERVER_H
