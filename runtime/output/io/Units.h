// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Quantities as text outputs print them: each has one form.

#ifndef GRAPHPROF_OUTPUT_IO_UNITS_H
#define GRAPHPROF_OUTPUT_IO_UNITS_H

#include <cstdint>
#include <string>
#include <string_view>

namespace graphprof {

/// In place of a quantity that is not known.
inline constexpr std::string_view noValue = "--";

/// A time in nanoseconds as torch.profiler prints it: "12.345us", "1.234ms", "2.000s". One that is
/// not exact, but rounded, gets no zeros for the digits that it does not have: "12.3us".
[[nodiscard]] std::string formatTime(double ns, bool exact = true);
/// The same of microseconds, in a unit of `usOfUnit`.
[[nodiscard]] std::string formatTime(double us, double usOfUnit, std::string_view unit, bool exact);

/// "12.34%". Negative: not known.
[[nodiscard]] std::string formatPercent(double percent);

/// How 1024 bytes are called. PyTorch's tables say KB, and ours that are the same as its.
enum class BytesAs : unsigned char { KiB, KB };
/// "512 B", "1.50 KiB".
[[nodiscard]] std::string formatBytes(std::int64_t bytes, BytesAs units = BytesAs::KiB);

/// `perS` of something a second: "3.738 TB/s" of "B/s". Not positive: not known.
[[nodiscard]] std::string formatRate(double perS, std::string_view unit);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_UNITS_H
