// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "process/Where.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "Deadline.h"
#include "Mutex.h"
#include "OwnThread.h"
#include "Thrown.h"
#include "clock/HostClock.h"
#include "output/data/LossText.h"
#include "output/data/Run.h"
#include "output/io/File.h"
#include "output/io/JsonWriter.h"
#include "output/io/Text.h"
#include "process/Process.h"
#include "process/WhereText.h"

namespace graphprof {

namespace {

using Replays = std::vector<ReplayInFlight>;

constexpr std::chrono::milliseconds askedPatience{1'400};

// What one look found, for the one who waits for it and the thread that looks.
struct Look {
  Mutex mutex;
  Condition changed;
  bool isDone GUARDED_BY(mutex) = false;
  std::optional<Replays> replays GUARDED_BY(mutex); // nullopt: the harvest takes too long
};

std::atomic<bool> looking{false};

// What is in flight, or why that is not known.
struct Found {
  Replays replays;
  std::string_view why;
};

Found lookAt(std::chrono::milliseconds most) {
  const std::chrono::milliseconds copying = most / 2; // a pass of the harvest may have to end first
  constexpr std::string_view held =
      "the driver does not answer: a thread of the program waits for the device inside of it";
  if (looking.exchange(true))
    return {{}, held};
  const auto look = std::make_shared<Look>();
  if (!survived([&] {
        startOwnThread([look, copying] {
          std::optional<Replays> replays;
          (void)survived([&] {
            Deadline deadline(copying);
            replays = process().harvester.inFlight(deadline);
          });
          looking.store(false);
          const MutexLock lock(look->mutex);
          look->replays = std::move(replays);
          look->isDone = true;
          look->changed.notifyAll();
        });
      })) {
    looking.store(false);
    return {{}, "no thread can be started"};
  }
  MutexLock lock(look->mutex);
  if (!look->changed.waitFor(lock, most, [&]() REQUIRES(look->mutex) { return look->isDone; }))
    return {{}, most < askedPatience ? "there is no time to find out" : held};
  if (!look->replays)
    return {{}, "the harvest of earlier replays takes too long"};
  return {std::move(*look->replays), {}};
}

std::string thisProcess() {
  const Run &run = thisRun();
  std::string text = fmt::format("process {}, {} on {}", run.pid, printable(run.program), run.host);
  if (run.inJob)
    text += run.ranks > 0 ? fmt::format(", rank {} of {}", run.rank, run.ranks)
                          : fmt::format(", rank {}", run.rank);
  return text;
}

std::string textOf(const Replays &replays, std::int64_t nowNs) {
  const LaunchCounts &launches = process().session.launches;
  std::uint64_t seen = launches.recorded();
  for (const ReplayInFlight &replay : replays)
    seen += replay.behind + 1;
  std::string text = thisProcess();
  text += replays.empty()
              ? ": no recorded replay is in flight"
              : fmt::format(": {} in flight\n{}",
                            counted(replays.size(), "exec has replays", "execs have replays"),
                            whereText(replays, nowNs));
  if (const std::uint64_t all = launches.total(); all > seen)
    text += fmt::format("\n{} not recorded, so cannot be seen",
                        counted(all - seen, "launch was", "launches were"));
  return text;
}

// Straight to standard error: a program that keeps messages (Services::keepMessages()) takes them
// on its main thread, and that one may wait for the device.
void say(std::string_view when, std::chrono::milliseconds most) {
  const Found found = lookAt(most);
  if (!found.why.empty())
    writeError(fmt::format("graphprof: {}; where cannot be told: {}\n", when, found.why));
  else if (!found.replays.empty())
    writeError(fmt::format("graphprof: {}: {}\n", when, textOf(found.replays, hostNowNs())));
}

} // namespace

std::string whereAnswer() {
  const Found found = lookAt(askedPatience);
  const std::int64_t nowNs = hostNowNs();
  std::string text;
  JsonWriter json(text);
  const Run &run = thisRun();
  json.beginObject()
      .member<"ok">(found.why.empty())
      .member<"pid">(run.pid)
      .member<"program">(run.program)
      .member<"host">(run.host);
  if (run.inJob)
    json.member<"rank">(run.rank).member<"ranks">(run.ranks);
  if (!found.why.empty())
    json.member<"error">(found.why);
  else
    json.member<"text">(textOf(found.replays, nowNs))
        .key<"replays">()
        .raw(whereJson(found.replays, nowNs));
  json.endObject();
  return text;
}

void sayStuck() noexcept {
  (void)survived([] {
    startOwnThread([] {
      (void)survived([] {
        say("a replay has been in flight for longer than GRAPHPROF_STUCK", askedPatience);
      });
    });
  });
}

void sayWhereAtEnd(std::chrono::milliseconds most) noexcept {
  (void)survived([most] { say("the process ends while replays are in flight", most); });
}

} // namespace graphprof
