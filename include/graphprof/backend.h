// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What graphprof asks of a device: a struct of functions that a backend fills in and registers
// once. C11 and C++17. Every handle is opaque, and none is a CUDA type. docs/backends.md takes you
// through writing a backend, and graphprof/testing/backend_contract.h is the contract as tests.
//
// Source: ProfilerStubs (torch/csrc/profiler/stubs/base.h) of PyTorch's profiler.

#ifndef GRAPHPROF_BACKEND_H
#define GRAPHPROF_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define GRAPHPROF_BACKEND_NOEXCEPT noexcept
extern "C" {
#else
#define GRAPHPROF_BACKEND_NOEXCEPT
#endif

/// The version of this header. New functions come only at the struct's end, with a new number and a
/// capability bit, so a backend that was compiled with an older header still works.
#define GRAPHPROF_BACKEND_VERSION 1u

/// The device's own handle: cudaStream_t with the CUDA backend. Null is the device's default
/// stream.
typedef struct graphprof_stream_handle *graphprof_stream;
/// The backend's own.
typedef struct graphprof_event_handle *graphprof_event;

/// What each function of a backend returns.
typedef enum graphprof_backend_status {
  graphprof_backend_ok = 0,
  graphprof_backend_not_ready = 1,   ///< not finished yet: ask again
  graphprof_backend_unsupported = 3, ///< this backend, or this device, cannot do that
  graphprof_backend_invalid = 4, ///< the request makes no sense: for example, an event of a graph
                                 ///< that was never launched has no time
  graphprof_backend_failed = 5   ///< the device refused, or there is no memory
} graphprof_backend_status;

/// What a backend can do beyond what all must: bits of graphprof_backend::can. 4 and 8 are
/// reserved.
enum graphprof_backend_can {
  graphprof_backend_can_place = 1,   ///< when(): its events lie on the host's time axis
  graphprof_backend_can_capture = 2, ///< record() while a stream is captured: each replay records
                                     ///< the event, and elapsed() is about the last one
  graphprof_backend_is_host = 16     ///< it reads the host's clock; its times are not a device's
};

/// A backend: a static object that does not change once it is registered. Any thread may call its
/// functions, and none throws. The functions that `can` does not claim may be null, and so may
/// mark, range_push and range_pop. All others must be set.
struct graphprof_backend {
  size_t size;      ///< sizeof(struct graphprof_backend), as it was compiled
  unsigned version; ///< GRAPHPROF_BACKEND_VERSION, as it was compiled
  unsigned can;     ///< bits of graphprof_backend_can
  const char *name; ///< letters, digits, '-' and '_': for GRAPHPROF_BACKEND, and in outputs

  // What a profiler asks (ProfilerStubs)

  /// Whether there is a device. Null means no, as in ProfilerStubs.
  int (*enabled)(void) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Makes an event and records it in `stream`. Fills `*device`, if given, with the ordinal of the
  /// current device, or -1 if there is none. Fills `*cpu_ns`, if given, with the host's time just
  /// before the event was recorded, in nanoseconds since the Unix epoch. Does not wait.
  graphprof_backend_status (*record)(graphprof_stream stream, int *device, graphprof_event *event,
                                     int64_t *cpu_ns) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Gives an event back. A graph that is launched again may still record it: the backend keeps
  /// what the graph needs.
  void (*release)(graphprof_event event) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Fills `*us` with the microseconds from one event to the other, negative if the second came
  /// first. Waits for both. Invalid if an event never happened (it was captured and not launched
  /// yet), or if only one of them is in a graph.
  graphprof_backend_status (*elapsed)(graphprof_event begin, graphprof_event end,
                                      float *us) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Tell the device's own tools of a moment, or of a range of this thread. Null if there are none.
  void (*mark)(const char *name) GRAPHPROF_BACKEND_NOEXCEPT;
  void (*range_push)(const char *name) GRAPHPROF_BACKEND_NOEXCEPT;
  void (*range_pop)(void) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Makes each device current in turn, and calls `work` with its ordinal. Then restores the device
  /// that was current.
  graphprof_backend_status (*on_each_device)(void (*work)(int device, void *argument),
                                             void *argument) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Waits until the current device has finished all its work.
  graphprof_backend_status (*synchronize)(void) GRAPHPROF_BACKEND_NOEXCEPT;

  // What graphprof also asks of events

  /// Whether the event has happened: ok or not ready. Does not wait.
  graphprof_backend_status (*happened)(graphprof_event event) GRAPHPROF_BACKEND_NOEXCEPT;
  /// When it happened, nanoseconds since the Unix epoch. Does not wait. (can_place)
  graphprof_backend_status (*when)(graphprof_event event, int64_t *ns) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Why this thread's last call failed, a sentence without a full stop; never null.
  const char *(*why)(void)GRAPHPROF_BACKEND_NOEXCEPT;
};

#pragma GCC visibility push(default) // libgraphprof exports these

/// Registers a backend for the life of the process, on any thread. Call it in a static constructor,
/// or as early as you can: graphprof chooses the backend when it first needs one. Invalid, with a
/// message on stderr and without effect: no name, or a name that is registered already; a struct of
/// an unknown version, or without the functions that it claims.
graphprof_backend_status
graphprof_backend_register(const struct graphprof_backend *backend) GRAPHPROF_BACKEND_NOEXCEPT;

/// The backend of that name, or null. "cuda" and "host" are graphprof's own.
const struct graphprof_backend *graphprof_backend_find(const char *name) GRAPHPROF_BACKEND_NOEXCEPT;

/// The backend in use: the one that GRAPHPROF_BACKEND names, otherwise "cuda" if there is a device,
/// otherwise "host". A name that nobody has registered is reported on stderr once, and ignored.
/// Every output names the backend in use. Never null.
const struct graphprof_backend *graphprof_backend_chosen(void) GRAPHPROF_BACKEND_NOEXCEPT;

#pragma GCC visibility pop

#ifdef __cplusplus
} // extern "C"

namespace graphprof {
inline namespace v1 {
namespace detail {
struct BackendRegistration {
  explicit BackendRegistration(const graphprof_backend &backend) noexcept {
    graphprof_backend_register(&backend);
  }
};
} // namespace detail
} // namespace v1
} // namespace graphprof

/// Registers `backend`, a static object of this file, when its library is loaded. Once a file.
#define GRAPHPROF_REGISTER_BACKEND(backend)                                                        \
  static const ::graphprof::detail::BackendRegistration graphprofBackendRegistration(backend)
#else
#define GRAPHPROF_REGISTER_BACKEND(backend)                                                        \
  __attribute__((constructor)) static void graphprofBackendRegistration(void) {                    \
    (void)graphprof_backend_register(&(backend));                                                  \
  }                                                                                                \
  struct graphprof_backend
#endif

#endif // GRAPHPROF_BACKEND_H
