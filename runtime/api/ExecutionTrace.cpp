// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/execution_trace.h.

#include "Edge.h"
#include "Mutex.h"
#include "Thrown.h"
#include "graphprof/execution_trace.h"
#include "process/Process.h"

#include <exception>
#include <optional>
#include <utility>

#include "graphprof/profile.h"
#include "output/Batching.h"
#include "output/formats/graph/GraphPicture.h"
#include "output/io/FileName.h"
#include "process/Lifetime.h"
#include "session/Session.h"
#include "session/cycles/SavedCycle.h"

namespace graphprof {

namespace {

// Runs `work` and lets no exception into the program.
template <class Work> void guarded(Work work) noexcept {
  const Edge edge;
  try {
    work();
  } catch (...) {
    process().session.say("an execution trace was lost: ", whatWasThrown());
  }
}

// A file that grows with each cycle and is complete after each.
class GraphFile {
public:
  GraphFile(Session &session, const std::string &path, GraphForm form)
      : session_(session), picture_(expandPath(path), form, session.config().maxRecords) {}

  void add(const SavedCycle &cycle) {
    const MutexLock lock(mutex_);
    std::string failure = cycle.writeTo(picture_, {}, batching_);
    if (failure.empty())
      failure = picture_.close(session_.losses());
    if (!failure.empty())
      session_.say("nothing was exported: " + failure);
    if (picture_.dropped() > 0)
      session_.say("a graph is not drawn: it was made before its ExecutionTraceObserver was "
                   "registered; register it first");
  }

private:
  Session &session_;
  Mutex mutex_;
  GraphPicture picture_ GUARDED_BY(mutex_);
  Batching batching_ GUARDED_BY(mutex_);
};

} // namespace

struct ExecutionTraceObserver::State {
  Mutex mutex; // no foreign code is called while it is held
  std::string path GUARDED_BY(mutex);
  std::shared_ptr<GraphFile> file GUARDED_BY(mutex); // null: not registered
  std::shared_ptr<profile> own GUARDED_BY(mutex);    // null: not running

  State() = default;
  State(const State &) = delete;
  State &operator=(const State &) = delete;
  ~State() {
    if (!inForkedChild()) // in a child, a thread of the parent may have held the lock
      unregister();
  }

  std::shared_ptr<GraphFile> registered() {
    const MutexLock lock(mutex);
    return file;
  }
  void stop() {
    std::shared_ptr<profile> ending;
    {
      const MutexLock lock(mutex);
      ending = std::move(own);
    }
    if (ending)
      ending->stop();
  }
  void unregister() {
    stop();
    const MutexLock lock(mutex);
    if (std::exchange(file, nullptr))
      --process().session.drawings;
  }
};

ExecutionTraceObserver::ExecutionTraceObserver() noexcept {
  guarded([this] { state_ = std::make_shared<State>(); });
}

ExecutionTraceObserver &
ExecutionTraceObserver::register_callback(const std::string &path) noexcept {
  guarded([&] {
    if (!state_ || inForkedChild())
      return;
    Session &session = process().session;
    const std::optional<GraphForm> form = graphFormOf(path);
    if (!form) {
      session.say("an ExecutionTraceObserver is not registered: " + path +
                  " must end in .json or .dot");
      return;
    }
    auto file = std::make_shared<GraphFile>(session, path, *form);
    std::string given = path;
    const MutexLock lock(state_->mutex);
    if (state_->file)
      return;
    state_->path = std::move(given);
    state_->file = std::move(file);
    ++session.drawings;
  });
  return *this;
}

void ExecutionTraceObserver::unregister_callback() noexcept {
  if (state_ && !inForkedChild())
    guarded([this] { state_->unregister(); });
}

bool ExecutionTraceObserver::is_registered() const noexcept {
  if (!state_ || inForkedChild())
    return false;
  return state_->registered() != nullptr;
}

void ExecutionTraceObserver::start() noexcept {
  if (!state_ || inForkedChild())
    return;
  guarded([this] {
    const std::shared_ptr<GraphFile> file = state_->registered();
    if (!file)
      return;
    profile_options options;
    options.activities = {ProfilerActivity::CUDA};
    options.execution_trace = true;
    options.on_trace_ready = [file](const Trace &trace) { file->add(*trace.saved_); };
    const auto made = std::make_shared<profile>(std::move(options), defer_start);
    {
      const MutexLock lock(state_->mutex);
      if (state_->own || state_->file != file)
        return;
      state_->own = made;
    }
    made->start(); // if it was stopped meanwhile, destroying `made` ends it
  });
}

void ExecutionTraceObserver::stop() noexcept {
  if (state_ && !inForkedChild())
    guarded([this] { state_->stop(); });
}

bool ExecutionTraceObserver::is_running() const noexcept {
  if (!state_ || inForkedChild())
    return false;
  const MutexLock lock(state_->mutex);
  return state_->own != nullptr;
}

std::string ExecutionTraceObserver::get_output_file_path() const {
  std::string path;
  if (state_ && !inForkedChild())
    guarded([&] {
      const MutexLock lock(state_->mutex);
      path = state_->path;
    });
  return path;
}

void ExecutionTraceObserver::add(const SavedCycle &cycle) const noexcept {
  if (!state_)
    return;
  guarded([&] {
    if (const std::shared_ptr<GraphFile> file = state_->registered())
      file->add(cycle);
  });
}

} // namespace graphprof
