// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What graphprof asks of a device: a struct of functions that a backend fills in and registers
// once. C11 and C++17. Every handle is opaque, and none is a CUDA type. docs/backends.md takes you
// through writing a backend, and graphprof/testing/backend_contract.h is the contract as tests.
//
// Source of the first half: ProfilerStubs (torch/csrc/profiler/stubs/base.h) of PyTorch's profiler.
// ProfilerStubs cannot express graphs; the second half can.

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

// The device's own handles: cudaStream_t, cudaGraph_t, ... with the CUDA backend. A null stream is
// the device's default one.
typedef struct graphprof_stream_handle *graphprof_stream;
typedef struct graphprof_graph_handle *graphprof_graph;
typedef struct graphprof_node_handle *graphprof_node;
typedef struct graphprof_exec_handle *graphprof_exec;
// The backend's own.
typedef struct graphprof_event_handle *graphprof_event;
typedef struct graphprof_buffer_handle *graphprof_buffer;

/// What each function of a backend returns.
typedef enum graphprof_backend_status {
  graphprof_backend_ok = 0,
  graphprof_backend_not_ready = 1,   ///< not finished yet: ask again
  graphprof_backend_lost = 2,        ///< finished, but its times are gone
  graphprof_backend_unsupported = 3, ///< this backend, or this device, cannot do that
  graphprof_backend_invalid = 4, ///< the request makes no sense: for example, an event of a graph
                                 ///< that was never launched has no time
  graphprof_backend_failed = 5   ///< the device refused, or there is no memory
} graphprof_backend_status;

/// What a backend can do beyond the first half: bits of graphprof_backend::can.
enum graphprof_backend_can {
  graphprof_backend_can_place = 1,   ///< when(): its events lie on the host's time axis
  graphprof_backend_can_capture = 2, ///< record() while a stream is captured: each replay records
                                     ///< the event, and elapsed() is about the last one
  graphprof_backend_can_graph = 4,   ///< add() to make_buffer() and so on: the second half
  graphprof_backend_can_add_to_capture = 8, ///< add_to_capture(), with the second half
  graphprof_backend_is_host = 16 ///< it reads the host's clock; its times are not a device's
};

/// What a timing node of a graph does.
typedef enum graphprof_backend_role {
  graphprof_backend_begin,    ///< reads the time first; the graph's first nodes wait for it
  graphprof_backend_boundary, ///< reads the time when the nodes that it is behind have finished
  graphprof_backend_end       ///< publishes a replay's times, behind everything else
} graphprof_backend_role;

/// The time of a boundary that a replay did not reach: in a branch that was not taken.
#define GRAPHPROF_BACKEND_UNREACHED INT64_MIN

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

  // Graphs (can_graph). A replay's times go to a buffer, several replays deep, from which they are
  // read without waiting. The order of calls: add the timing nodes, bind a buffer, instantiate,
  // attach; then for each launch arm, launch, launched. A buffer of n boundaries has the times of
  // the begin and of n - 1 boundaries behind it.

  /// Adds a timing node to `graph`, behind the `count` nodes of `behind`. A begin has none; an end
  /// has all nodes that no other waits for. A boundary may name other boundaries, too: it then
  /// reads no earlier than they do.
  graphprof_backend_status (*add)(graphprof_graph graph, graphprof_backend_role role,
                                  const graphprof_node *behind, size_t count,
                                  graphprof_node *node) GRAPHPROF_BACKEND_NOEXCEPT;
  /// The same in the graph that `stream` is being captured into, behind what it has captured so
  /// far: a begin comes first of all, an end last, when all streams are joined. One thread at a
  /// time for each capture. (can_add_to_capture)
  graphprof_backend_status (*add_to_capture)(graphprof_stream stream, graphprof_backend_role role,
                                             graphprof_node *node) GRAPHPROF_BACKEND_NOEXCEPT;
  /// A buffer for the times of `boundaries` (the begin included) of one exec. Failed: no memory.
  graphprof_backend_status (*make_buffer)(size_t boundaries,
                                          graphprof_buffer *buffer) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Points timing nodes to a buffer, before their graph is instantiated. `nodes` are the begin and
  /// the boundaries behind it, as many as the buffer was made for.
  graphprof_backend_status (*bind)(graphprof_buffer buffer, const graphprof_node *nodes,
                                   size_t count, graphprof_node end) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Tells the buffer that `exec` was instantiated from that graph.
  graphprof_backend_status (*attach)(graphprof_buffer buffer,
                                     graphprof_exec exec) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Call it before each launch. The launch's times will be read if `timed` is set. Launches of one
  /// exec follow each other. Does not wait.
  graphprof_backend_status (*arm)(graphprof_buffer buffer, int timed) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Call it after each launch that the device accepted. Fills `*sequence`, if given, with the
  /// launch's number, which counts up by one.
  graphprof_backend_status (*launched)(graphprof_buffer buffer,
                                       uint64_t *sequence) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Fills `times`, as many as the buffer was made for, with when that launch reached its
  /// boundaries: nanoseconds since the Unix epoch, or GRAPHPROF_BACKEND_UNREACHED. Ok; not ready;
  /// or lost, if newer launches have taken its place, or it was not timed, or it was read already.
  /// Does not wait.
  graphprof_backend_status (*read)(graphprof_buffer buffer, uint64_t sequence, int64_t *times,
                                   size_t count) GRAPHPROF_BACKEND_NOEXCEPT;
  /// How many launches the buffer holds at least.
  uint64_t (*depth)(graphprof_buffer buffer) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Gives a buffer back, after the last launch of its exec. Not ready, and without effect, while a
  /// launch is running.
  graphprof_backend_status (*free_buffer)(graphprof_buffer buffer) GRAPHPROF_BACKEND_NOEXCEPT;
};

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

#ifdef __cplusplus
} // extern "C"

namespace graphprof::detail {
struct BackendRegistration {
  explicit BackendRegistration(const graphprof_backend &backend) noexcept {
    graphprof_backend_register(&backend);
  }
};
} // namespace graphprof::detail

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
