// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a profile records: the host's times, the device's, or both.

#ifndef GRAPHPROF_ACTIVITY_H
#define GRAPHPROF_ACTIVITY_H

#include <cstdint>
#include <initializer_list>

namespace graphprof {
inline namespace v1 {

/// What a profile can record. Names are torch.profiler's.
enum class ProfilerActivity : std::uint8_t {
  CPU,  ///< what the program's threads do, by the host's clock (graphprof/host_span.h)
  CUDA, ///< regions on the device: in replays, and outside graphs
  XPU,  ///< this and the following record nothing here; a profile that asks for them says so
  PrivateUse1,
};

/// A set of activities.
///
///     graphprof::Activities{graphprof::ProfilerActivity::CUDA}
class Activities {
public:
  constexpr Activities() noexcept = default;
  constexpr Activities(std::initializer_list<ProfilerActivity> activities) noexcept {
    for (const ProfilerActivity activity : activities)
      bits_ |= bit(activity);
  }
  [[nodiscard]] static constexpr Activities all() noexcept {
    return {ProfilerActivity::CPU, ProfilerActivity::CUDA};
  }

  [[nodiscard]] constexpr bool has(ProfilerActivity activity) const noexcept {
    return (bits_ & bit(activity)) != 0;
  }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  [[nodiscard]] constexpr Activities with(Activities others) const noexcept {
    return Activities(static_cast<std::uint8_t>(bits_ | others.bits_));
  }
  [[nodiscard]] constexpr Activities without(Activities others) const noexcept {
    return Activities(static_cast<std::uint8_t>(bits_ & ~others.bits_));
  }

private:
  constexpr explicit Activities(std::uint8_t bits) noexcept : bits_(bits) {}
  static constexpr std::uint8_t bit(ProfilerActivity activity) noexcept {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(activity));
  }

  std::uint8_t bits_ = 0;
};

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_ACTIVITY_H
