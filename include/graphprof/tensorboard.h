// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Traces where TensorBoard's profiler plugin looks for them: torch.profiler's
// tensorboard_trace_handler.

#ifndef GRAPHPROF_TENSORBOARD_H
#define GRAPHPROF_TENSORBOARD_H

#include <functional>
#include <string>

#include "graphprof/trace.h"

namespace graphprof {

/// For profile_options::on_trace_ready: writes each trace as a Chrome trace into a file of its own,
/// `dir/WORKER.NANOSECONDS.pt.trace.json`, with `.gz` behind it where it is compressed.
///
///     options.on_trace_ready = graphprof::tensorboard_trace_handler("log/decode");
///
/// `dir` is made where it is missing, with the folders around it. WORKER is `worker_name`, or where
/// that is empty the machine's name and the process's id: `node7_4711`; NANOSECONDS, since the Unix
/// epoch, is when the file is written. In both texts {host}, {pid}, {rank} and {time} stand for
/// what they do in GRAPHPROF_OUTPUT. What cannot be written is said on stderr.
[[nodiscard]] std::function<void(const Trace &)>
tensorboard_trace_handler(std::string dir, std::string worker_name = {}, bool use_gzip = false);

} // namespace graphprof

#endif // GRAPHPROF_TENSORBOARD_H
