// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/tensorboard.h.

#include "graphprof/tensorboard.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "output/data/Run.h"
#include "output/io/FileName.h"
#include "process/Process.h"
#include "session/Session.h"

namespace graphprof {

std::function<void(const Trace &)>
v1::tensorboard_trace_handler(std::string dir, std::string worker_name, bool use_gzip) {
  return [dir = std::move(dir), worker = std::move(worker_name), use_gzip](const Trace &trace) {
    const std::filesystem::path folder = expandPath(dir);
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
      process().session.say(fmt::format("nothing was exported: cannot make {}: {}", folder.string(),
                                        error.message()));
      return;
    }
    const std::int64_t nowNs = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::system_clock::now().time_since_epoch())
                                   .count();
    const Run &run = thisRun();
    const std::string who = worker.empty() ? fmt::format("{}_{}", run.host, run.pid) : worker;
    trace.export_chrome_trace(
        (folder / fmt::format("{}.{}.pt.trace.json{}", who, nowNs, use_gzip ? ".gz" : ""))
            .string());
  };
}

} // namespace graphprof
