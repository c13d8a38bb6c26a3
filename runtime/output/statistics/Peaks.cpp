// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a device could do at most, of its properties.

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "output/statistics/Averages.h"

namespace graphprof {

namespace {

// FP32 units of a multiprocessor, by compute capability (CUDA C++ Programming Guide, "Arithmetic
// Instructions": results per clock and multiprocessor); 0: unknown.
int coresOf(int major, int minor) {
  if (major == 6)
    return minor == 0 ? 64 : 128;
  if (major == 7 || (major == 8 && minor == 0))
    return 64;
  return major >= 8 && major <= 12 ? 128 : 0;
}

// Reads the numbers of a list of objects. Not as a tree of values: destroying a tree allocates, and
// without memory the process would end.
class DeviceReader : public nlohmann::json::json_sax_t {
public:
  std::map<int, Peak> peaks;

  bool start_array(std::size_t) override { return ++depth_ > 0; }
  bool end_array() override { return --depth_ >= 0; }
  bool start_object(std::size_t) override {
    if (++depth_ == ofDevice)
      figures_.clear();
    return true;
  }
  bool end_object() override {
    if (depth_-- == ofDevice)
      add();
    return true;
  }
  bool key(string_t &name) override {
    key_ = name;
    return true;
  }
  bool number_integer(number_integer_t number) override {
    return note(static_cast<double>(number));
  }
  bool number_unsigned(number_unsigned_t number) override {
    return note(static_cast<double>(number));
  }
  bool number_float(number_float_t number, const string_t &) override { return note(number); }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool parse_error(std::size_t, const std::string &, const nlohmann::json::exception &) override {
    return false;
  }

private:
  static constexpr int ofDevice = 2; // in the list
  bool note(double number) {
    if (depth_ == ofDevice)
      figures_[key_] = number;
    return true;
  }
  void add() {
    const auto figure = [this](const char *key) {
      const auto found = figures_.find(key);
      return found == figures_.end() ? 0.0 : found->second;
    };
    const auto small = [&](const char *key) {
      constexpr double most = std::numeric_limits<int>::max();
      return static_cast<int>(std::clamp(figure(key), -1.0, most));
    };
    const double cores = figure("numSms") * coresOf(small("computeMajor"), small("computeMinor"));
    // A multiply-add counts as two operations. Memory moves data on both edges of its clock.
    peaks[small("id")] = {2 * cores * figure("clockRateKhz") * 1e3,
                          2 * figure("memoryClockRateKhz") * 1e3 * figure("memoryBusWidth") / 8};
  }

  int depth_ = 0;
  std::string key_;
  std::map<std::string, double, std::less<>> figures_;
};

} // namespace

std::map<int, Peak> peaksOf(std::string_view deviceProperties) {
  DeviceReader reader;
  static_cast<void>(nlohmann::json::sax_parse(deviceProperties, &reader));
  return std::move(reader.peaks);
}

} // namespace graphprof
