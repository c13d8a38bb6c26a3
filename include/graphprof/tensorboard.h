// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Writes traces where TensorBoard's profiler plugin looks for them: torch.profiler's
// tensorboard_trace_handler.

#ifndef GRAPHPROF_TENSORBOARD_H
#define GRAPHPROF_TENSORBOARD_H

#include <functional>
#include <string>

#include "graphprof/detail/export.h"
#include "graphprof/trace.h"

namespace graphprof {
inline namespace v1 {

/// For profile_options::on_trace_ready: writes each trace as a Chrome trace into a file of its own,
/// `dir/WORKER.NANOSECONDS.pt.trace.json`, with `.gz` appended if it is compressed.
///
///     options.on_trace_ready = graphprof::tensorboard_trace_handler("log/decode");
///
/// If `dir` is missing, it is made, with the folders around it. WORKER is `worker_name`, or if that
/// is empty, the machine's name and the process's id: `node7_4711`. NANOSECONDS is when the file is
/// written, since the Unix epoch. In both texts {host}, {pid}, {rank} and {time} mean what they
/// mean in GRAPHPROF_OUTPUT. If a file cannot be written, a message on stderr says so.
[[nodiscard]] GRAPHPROF_API std::function<void(const Trace &)>
tensorboard_trace_handler(std::string dir, std::string worker_name = {}, bool use_gzip = false);

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_TENSORBOARD_H
