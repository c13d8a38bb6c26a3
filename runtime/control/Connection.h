// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One who is connected to the control socket: lines in, lines out, both bounded, and nothing that
// waits. Does not know what the lines mean.

#ifndef GRAPHPROF_CONTROL_CONNECTION_H
#define GRAPHPROF_CONTROL_CONNECTION_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "output/io/Descriptor.h"

namespace graphprof {

/// One thread at a time. Times are those of one clock, in nanoseconds.
class Connection {
public:
  /// A longer line ends the connection; likewise answers that are not taken for so long, and
  /// silence, unless it stays for what it watches.
  static constexpr std::size_t longestLine = 65'536;
  static constexpr std::int64_t slowestNs = 10'000'000'000, silenceNs = 60'000'000'000;
  /// So much later the next line is looked at, so that a flood keeps no processor busy.
  static constexpr std::int64_t pauseNs = 20'000'000;

  Connection(std::uint64_t id, int socket, std::int64_t nowNs)
      : id_(id), socket_(socket), heardNs_(nowNs) {}

  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] int descriptor() const { return socket_.number(); }
  [[nodiscard]] bool isOpen() const { return socket_.isOpen() && !failed_; }

  /// What to poll for, and when to read again, if not now.
  [[nodiscard]] bool wantsToRead(std::int64_t nowNs) const {
    return out_.empty() && !awaited && nowNs >= readAgainNs_;
  }
  [[nodiscard]] bool wantsToWrite() const { return !out_.empty(); }
  [[nodiscard]] std::int64_t readAgainNs() const { return readAgainNs_; }
  /// Is a line there that came with an earlier one?
  [[nodiscard]] bool hasLine() const { return in_.find('\n') != std::string::npos; }

  /// Reads what has come, and returns the first whole line, if there is one.
  [[nodiscard]] std::optional<std::string> read(std::int64_t nowNs);
  /// Adds a line, without its end, and writes as much as can be.
  void write(std::string line, std::int64_t nowNs);
  void writeMore(std::int64_t nowNs);
  /// Once it has been written, the connection ends.
  void endAfterwards() { ending_ = true; }
  /// Ends it if the other side is too slow, or silent.
  void checkPatience(std::int64_t nowNs);

  /// Ends it now.
  void drop() { failed_ = true; }

  bool awaited = false; ///< an answer is still to come
  bool hurried = false; ///< the other side has closed its end, and waits for that
  bool watches = false; ///< it stays connected for the sums of what is recorded

private:
  const std::uint64_t id_;
  Descriptor socket_;
  std::string in_, out_;
  std::size_t written_ = 0; // of out_
  std::int64_t heardNs_, progressNs_ = 0, readAgainNs_ = 0;
  bool failed_ = false, ending_ = false, closedByOther_ = false;
};

} // namespace graphprof

#endif // GRAPHPROF_CONTROL_CONNECTION_H
