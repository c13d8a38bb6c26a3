// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/Gzip.h"

#include <algorithm>
#include <array>
#include <limits>

#include <zlib.h>

namespace graphprof {

namespace {

constexpr int gzipFormat = 16, largestWindow = 15;

class ZlibGzip : public Gzip {
public:
  ZlibGzip() {
    constexpr int defaultMemory = 8;
    good_ = ::deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, largestWindow + gzipFormat,
                           defaultMemory, Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~ZlibGzip() override {
    if (good_)
      ::deflateEnd(&stream_);
  }
  ZlibGzip(const ZlibGzip &) = delete;
  ZlibGzip &operator=(const ZlibGzip &) = delete;

  [[nodiscard]] bool good() const { return good_; }

  void add(std::string_view text, std::string &out) override {
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    while (!text.empty()) {
      const std::size_t size = std::min(text.size(), most);
      compress(text.substr(0, size), Z_NO_FLUSH, out);
      text.remove_prefix(size);
    }
  }
  void finish(std::string &out) override { compress({}, Z_FINISH, out); }

private:
  void compress(std::string_view text, int mode, std::string &out) {
    // zlib's interface takes no const pointer, but does not write through it.
    stream_.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef *>(piece_.data());
      stream_.avail_out = static_cast<uInt>(piece_.size());
      (void)::deflate(&stream_, mode); // fails only for wrong arguments
      out.append(piece_.data(), piece_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
  std::array<char, 1 << 15> piece_{}; // a member, because the stack may be small
  bool good_ = false;
};

} // namespace

bool Gzip::builtIn() { return true; }

std::unique_ptr<Gzip> Gzip::make() {
  auto gzip = std::make_unique<ZlibGzip>();
  if (!gzip->good())
    return nullptr;
  return gzip;
}

std::string unzippedHead(std::string_view compressed, std::size_t most) {
  z_stream stream{};
  if (::inflateInit2(&stream, largestWindow + gzipFormat) != Z_OK)
    return {};
  std::string head(most, '\0');
  // zlib's interface takes no const pointer, but does not write through it.
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  stream.next_out = reinterpret_cast<Bytef *>(head.data());
  stream.avail_out = static_cast<uInt>(most);
  (void)::inflate(&stream, Z_SYNC_FLUSH); // what comes before damage is in `head`
  head.resize(most - stream.avail_out);
  ::inflateEnd(&stream);
  return head;
}

} // namespace graphprof
