// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "control/Connection.h"

#include <array>
#include <cerrno>
#include <utility>

#include <sys/socket.h>

namespace graphprof {

std::optional<std::string> Connection::read(std::int64_t nowNs) {
  if (!socket_.isOurs()) { // the program has closed it, and may have a file of its own there
    drop();
    return std::nullopt;
  }
  std::array<char, 4096> piece; // NOLINT(*-member-init): written before it is read
  while (!hasLine() && !closedByOther_) {
    const ssize_t size = ::recv(socket_.number(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (size < 0 && errno == EINTR)
      continue;
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      break;
    if (size <= 0) {
      closedByOther_ = true;
      break;
    }
    in_.append(piece.data(), static_cast<std::size_t>(size));
    if (in_.size() > longestLine && !hasLine()) {
      drop();
      return std::nullopt;
    }
  }
  const std::size_t end = in_.find('\n');
  if (end == std::string::npos) {
    if (closedByOther_)
      drop();
    return std::nullopt;
  }
  std::string line = in_.substr(0, end);
  in_.erase(0, end + 1);
  heardNs_ = nowNs;
  readAgainNs_ = nowNs + pauseNs;
  return line;
}

void Connection::write(std::string line, std::int64_t nowNs) {
  line += '\n';
  if (out_.empty())
    progressNs_ = nowNs;
  out_ += line;
  writeMore(nowNs);
}

void Connection::writeMore(std::int64_t nowNs) {
  if (!socket_.isOurs())
    return drop();
  while (written_ < out_.size()) {
    const ssize_t size = ::send(socket_.number(), out_.data() + written_, out_.size() - written_,
                                MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR)
      continue;
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return;
    if (size <= 0)
      return drop();
    written_ += static_cast<std::size_t>(size);
    progressNs_ = heardNs_ = nowNs;
  }
  std::string().swap(out_); // an answer may be large
  written_ = 0;
  if (ending_)
    drop();
}

void Connection::checkPatience(std::int64_t nowNs) {
  if ((wantsToWrite() && nowNs - progressNs_ > slowestNs) ||
      (!wantsToWrite() && !watches && !awaited && nowNs - heardNs_ > silenceNs))
    drop();
}

} // namespace graphprof
