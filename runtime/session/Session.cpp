// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/Session.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>
#include <utility>

#include "output/MakeOutput.h"
#include "output/data/Run.h"
#include "output/io/File.h"
#include "session/CycleName.h"
#include "session/IfRecorded.h"
#include "session/Name.h"

namespace graphprof {

namespace {

constexpr std::size_t maxSaid = 100;
constexpr auto closePatience = std::chrono::seconds(1);

// Runs `call`, which returns a failure text; what it throws is a failure too.
template <class Call> std::string failureOf(Call call) noexcept {
  try {
    try {
      return call();
    } catch (const std::exception &error) {
      const std::string what = error.what();
      return what.empty() ? "an exception without a text" : what;
    } catch (...) {
      return "an exception of an unknown kind";
    }
  } catch (...) { // no memory even for the text
    return "no memory";
  }
}

std::size_t sizeOf(const Replay &replay) { return replay.records.size(); }
std::size_t sizeOf(std::span<const HostSpan> spans) { return spans.size(); }

bool wantsHostSpans(const Output::Wants &wants) { return wants.hostSpans; }
bool wantsMemory(const Output::Wants &wants) { return wants.memory; }
bool wantsAny(const Output::Wants & /*wants*/) { return true; }

} // namespace

// Marks that this thread calls outputs, so that what they call back does not wait for itself.
class Session::Turn {
public:
  explicit Turn(Session &session) : session_(session) {
    session_.turn_.store(std::this_thread::get_id());
  }
  ~Turn() { session_.turn_.store(std::thread::id()); }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;

private:
  Session &session_;
};

Session &Session::instance() noexcept {
  static Session *const session = []() noexcept {
    alignas(Session) static std::array<std::byte, sizeof(Session)> memory;
    try {
      return new (memory.data()) Session(
          readConfig([](const char *name) -> const char * { return std::getenv(name); }, environ));
    } catch (...) {
      writeError("graphprof: switched off: no memory\n");
      return new (memory.data()) Session(
          Config{.enabled = false, .backend = {}, .outputs = {}, .schedule = {}, .complaints = {}});
    }
  }();
  return *session;
}

Session::Session(Config config) : config_(std::move(config)) {
  for (const std::string &complaint : config_.complaints)
    say(complaint);
  if (!config_.enabled)
    return;
  drawings =
      static_cast<int>(std::count_if(config_.outputs.begin(), config_.outputs.end(), drawsGraphs));
  if (config_.schedule) // the outputs are ScheduledOutputs', which records by it
    return;
  bool spans = false;
  for (const std::string &item : config_.outputs) {
    Output *const output = attach(outputIfRecorded(withCycle(item, 1)));
    spans = spans || (output && output->wants().hostSpans);
    if (!config_.outputsGiven)
      defaultTable_ = output;
  }
  if (config_.outputsGiven && !config_.outputs.empty())
    recordingSwitch.want(this, {true, true, spans, config_.memory});
}

std::unique_ptr<Output> Session::outputOf(std::string_view item) const {
  return makeOutput(item, config_.maxRecords, thisRun(),
                    config_.hostSpans ? HostSpansFor::All : HostSpansFor::Whole);
}

std::unique_ptr<Output> Session::outputIfRecorded(std::string_view item) {
  std::unique_ptr<Output> output = outputOf(item);
  if (!output || (writesToStderr(item) && !config_.underRun))
    return output;
  return std::make_unique<IfRecorded>(std::move(output), [this, file = pathOf(item)] {
    if (inUse && !config_.underRun)
      say("nothing was recorded: " + file + " is not written");
  });
}

bool Session::inTurn() const noexcept { return turn_.load() == std::this_thread::get_id(); }

void Session::fail(Entry &entry, const std::string &why) noexcept {
  entry.failed = true;
  try {
    say("output " + entry.output->name() + " failed and gets nothing more: " + why);
  } catch (...) {
    say("an output failed and gets nothing more");
  }
}

void Session::consume(const Replay &replay) noexcept { consumeAny(replay); }
void Session::consume(std::span<const HostSpan> spans) noexcept { consumeAny(spans); }

template <class Given> void Session::consumeAny(const Given &given) noexcept {
  if (inTurn()) {
    counters.dropped += sizeOf(given);
    return;
  }
  std::vector<Entry> gone; // destroyed behind the lock: an output's destructor is anybody's code
  try {
    const MutexLock lock(mutex_);
    if (closed_) {
      counters.dropped += sizeOf(given);
      return;
    }
    handMemory();
    batcher_.clear(batch_); // what an exception left, too
    take(given);
    batch_.source = {};
    removeGone(gone);
  } catch (...) {
    counters.dropped += sizeOf(given);
  }
}

void Session::consume(const MemoryEvent &event, std::string path) noexcept {
  try {
    {
      const MutexLock lock(memoryMutex_);
      if (memory_.size() >= config_.maxRecords) {
        ++counters.dropped;
        return;
      }
      memory_.push_back({event, std::move(path)});
    }
    memoryWaits_.store(true);
    std::vector<Entry> gone;
    if (inTurn())
      return;
    if (!mutex_.tryLock()) // who holds it may be the thread that waits for us
      return;
    const MutexLock lock(mutex_, std::adopt_lock);
    if (closed_) {
      ++counters.dropped;
      return;
    }
    handMemory();
    removeGone(gone);
  } catch (...) {
    ++counters.dropped;
  }
}

void Session::handMemoryOn() noexcept {
  if (!memoryWaits_.load() || inTurn())
    return;
  std::vector<Entry> gone;
  try {
    if (!mutex_.tryLockFor(closePatience)) // a callback may wait for whom we serve
      return;
    const MutexLock lock(mutex_, std::adopt_lock);
    handMemory();
    removeGone(gone);
  } catch (...) {
    ++counters.dropped;
  }
}

void Session::removeGone(std::vector<Entry> &gone) {
  for (auto entry = outputs_.begin(); entry != outputs_.end();) {
    if (entry->gone) {
      gone.push_back(std::move(*entry));
      entry = outputs_.erase(entry);
    } else {
      ++entry;
    }
  }
}

// Nothing is made of it for those that want nothing but it.
void Session::take(const Replay &replay) {
  batch_.source.replay = &replay;
  if (std::any_of(outputs_.begin(), outputs_.end(),
                  [](const Entry &entry) { return !entry.wants.source; }))
    batcher_.add(replay, batch_);
  hand(replay.records.size(), wantsAny);
}

void Session::take(std::span<const HostSpan> spans) {
  batch_.source.spans = spans;
  if (std::any_of(outputs_.begin(), outputs_.end(),
                  [](const Entry &entry) { return entry.wants.hostSpans && !entry.wants.source; }))
    for (const HostSpan &span : spans)
      batcher_.add(span, batch_);
  hand(spans.size(), wantsHostSpans);
}

// The batch at hand, which counts for so many records, to those that want it. Outputs may attach
// and detach outputs while they are called: entries move, but none vanishes.
template <class Wanted> void Session::hand(std::size_t size, Wanted wanted) {
  const Turn turn(*this);
  const Batch *const batch = &batch_;
  const std::size_t count = outputs_.size(); // who is attached now gets what comes next first
  for (std::size_t i = 0; i < count && !closed_; ++i) {
    if (outputs_[i].gone || !wanted(outputs_[i].wants))
      continue;
    if (outputs_[i].failed) {
      counters.dropped += size;
      continue;
    }
    Output &output = *outputs_[i].output;
    const std::string failure = failureOf([&output, batch] { return output.write(*batch); });
    Entry &entry = outputs_[i];
    countDropped(entry);
    if (!failure.empty())
      fail(entry, failure);
  }
}

// What was taken before the outputs were called for it; what they allocate themselves waits.
void Session::handMemory() {
  if (!memoryWaits_.exchange(false))
    return;
  std::vector<WaitingMemory> taken;
  {
    const MutexLock lock(memoryMutex_);
    taken.swap(memory_);
  }
  for (WaitingMemory &waiting : taken) {
    waiting.event.path = waiting.path;
    batcher_.clear(batch_);
    Batcher::add(waiting.event, batch_);
    hand(1, wantsMemory);
  }
}

void Session::countDropped(Entry &entry) noexcept {
  const std::uint64_t dropped = entry.output->dropped();
  counters.dropped += dropped - std::exchange(entry.dropped, dropped);
}

bool Session::flush(std::int64_t timeoutMs) noexcept {
  using Milliseconds = std::chrono::milliseconds;
  const auto deadline = std::chrono::steady_clock::now() + Milliseconds(timeoutMs);
  const auto left = [deadline] {
    return std::chrono::duration_cast<Milliseconds>(deadline - std::chrono::steady_clock::now());
  };
  if (inTurn())
    return false;
  if (!mutex_.tryLockFor(left()))
    return false;
  const MutexLock lock(mutex_, std::adopt_lock);
  if (closed_)
    return true;
  try {
    handMemory();
  } catch (...) {
    ++counters.dropped;
  }
  const Turn turn(*this);
  bool all = true;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    Output &output = *outputs_[i].output;
    if (outputs_[i].failed || outputs_[i].gone)
      continue;
    const std::string late = failureOf([&] {
      const std::int64_t most = std::max<std::int64_t>(left().count(), 0);
      return output.flush(most) ? std::string() : std::string("late");
    });
    all = all && late.empty();
  }
  return all;
}

Output *Session::attach(std::unique_ptr<Output> output) noexcept {
  if (!output)
    return nullptr;
  try {
    if (inTurn()) {
      mutex_.assertHeld();
      return add(std::move(output));
    }
    const MutexLock lock(mutex_);
    return add(std::move(output));
  } catch (...) {
    return nullptr;
  }
}

Output *Session::add(std::unique_ptr<Output> output) {
  Entry entry;
  entry.wants = output->wants();
  entry.output = std::move(output);
  outputs_.push_back(std::move(entry));
  recordingSwitch.listened(true);
  return outputs_.back().output.get();
}

void Session::detach(Output *output) noexcept {
  const auto isIt = [output](const Entry &entry) { return entry.output.get() == output; };
  if (inTurn()) {
    mutex_.assertHeld();
    for (Entry &entry : outputs_)
      if (isIt(entry) && !std::exchange(entry.gone, true)) {
        recordingSwitch.listened(false);
        output->stop();
      }
    return;
  }
  std::unique_ptr<Output> gone; // destroyed behind the lock
  const MutexLock lock(mutex_);
  const auto entry = std::find_if(outputs_.begin(), outputs_.end(), isIt);
  if (entry == outputs_.end())
    return;
  if (!entry->gone)
    recordingSwitch.listened(false);
  gone = std::move(entry->output);
  outputs_.erase(entry);
}

void Session::withoutDefaultTable() noexcept {
  Output *table = nullptr;
  if (inTurn()) {
    mutex_.assertHeld();
    table = std::exchange(defaultTable_, nullptr);
  } else {
    const MutexLock lock(mutex_);
    table = std::exchange(defaultTable_, nullptr);
  }
  if (table)
    detach(table);
}

Losses Session::losses() const noexcept {
  return Losses{counters.overrun,     counters.notQueued,   counters.unfinished,
                counters.incomplete,  counters.notMarked,   counters.notInstantiated,
                counters.notMirrored, counters.notLaunched, counters.invalidated,
                counters.eager,       counters.dropped,     counters.namesCut,
                counters.hostSpans};
}

std::string Session::nameOf(const Site &site, std::span<const Value> context) {
  bool fits = true;
  std::string name = formatName(site.nameFormat, context, &fits);
  if (!fits)
    say(std::string(site.file ? site.file : "") + ":" + std::to_string(site.line) + ": the name '" +
            name + "'",
        " does not fit its values, and is shown as it is written");
  if (shortenName(name, config_.maxName))
    ++counters.namesCut;
  return name;
}

void Session::say(std::string_view first, std::string_view more) noexcept {
  try {
    std::string text(first);
    text += more;
    std::string line;
    {
      const MutexLock lock(saidMutex_);
      if (said_.size() > maxSaid || std::find(said_.begin(), said_.end(), text) != said_.end())
        return;
      said_.push_back(text);
      line = "graphprof: " + (said_.size() > maxSaid ? "further messages are left out" : text);
    }
    writeError(line + '\n');
  } catch (...) {
    writeError("graphprof: a message was lost: no memory\n");
  }
}

void Session::close() noexcept {
  if (inTurn()) { // the program exits from a callback
    mutex_.assertHeld();
    return closeAll();
  }
  if (!mutex_.tryLockFor(closePatience))
    return say("the outputs are not closed: a callback does not return");
  const MutexLock lock(mutex_, std::adopt_lock);
  closeAll();
}

// What is said of the whole program. Apart from the batch at hand: a callback may be in that.
Batch Session::lastBatch() const {
  Batch last;
  if (std::string sentence = allocations.sentence(); !sentence.empty())
    last.remarks.push_back(std::move(sentence));
  for (auto &[key, json] : facts()) {
    last.notes.push_back({key, json});
    if (key == backendKey && json != R"("cuda")" && !config_.backend.empty())
      last.remarks.push_back("timed by the backend " + json);
  }
  return last;
}

void Session::closeAll() noexcept {
  if (closed_)
    return;
  const bool nested = inTurn();
  try {
    if (!nested)
      handMemory();
  } catch (...) {
    ++counters.dropped;
  }
  closed_ = true;
  if (!nested)
    turn_.store(std::this_thread::get_id());
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i].failed || outputs_[i].gone)
      continue;
    Output &output = *outputs_[i].output;
    const std::string failure = failureOf([&] {
      std::string failed = output.write(lastBatch());
      return failed.empty() ? output.close(losses()) : failed;
    });
    countDropped(outputs_[i]);
    if (!failure.empty())
      fail(outputs_[i], failure);
  }
  if (!nested)
    turn_.store(std::thread::id());
}

} // namespace graphprof
