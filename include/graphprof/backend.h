// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What graphprof asks of a device: a struct of functions that a backend fills in and registers
// once. C11 and C++17; no CUDA type: every handle is opaque. docs/backends.md takes you through
// writing one, and graphprof/testing/backend_contract.h is the contract as tests.
//
// Source of the first half: ProfilerStubs (torch/csrc/profiler/stubs/base.h), which PyTorch's
// profiler asks. It cannot express graphs; the second half can.

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

/// Of this header. Functions are only ever added at the struct's end, with a new number and a
/// capability bit; a backend that was compiled with an older header goes on working.
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
  graphprof_backend_invalid = 4, ///< what was asked for makes no sense: an event of a graph that
                                 ///< was never launched has no time
  graphprof_backend_failed = 5   ///< the device refused, or there is no memory
} graphprof_backend_status;

/// What a backend can do beyond the first half: bits of graphprof_backend::can.
enum graphprof_backend_can {
  graphprof_backend_can_place = 1,   ///< when(): its events lie on the host's time axis
  graphprof_backend_can_capture = 2, ///< record() while a stream is captured: the event is of each
                                     ///< replay, and elapsed() is about the last one
  graphprof_backend_can_graph = 4,   ///< add() to make_buffer() and so on: the second half
  graphprof_backend_can_add_to_capture = 8, ///< add_to_capture(), with the second half
  graphprof_backend_is_host = 16 ///< it reads the host's clock: its times say nothing of a device
};

/// What a timing node of a graph does.
typedef enum graphprof_backend_role {
  graphprof_backend_begin,    ///< reads the time first of all: the graph's first nodes wait for it
  graphprof_backend_boundary, ///< reads the time when what it is behind has finished
  graphprof_backend_end       ///< publishes a replay's times, behind everything else
} graphprof_backend_role;

/// Where no replay came by: a boundary in a branch that was not taken.
#define GRAPHPROF_BACKEND_UNREACHED INT64_MIN

/// A backend. A static object, unchanged once it is registered. All functions may be called from
/// any thread, and none throws. What `can` does not claim may be null, and so may the three
/// annotations; all others are there.
struct graphprof_backend {
  size_t size;      ///< sizeof(struct graphprof_backend), as it was compiled
  unsigned version; ///< GRAPHPROF_BACKEND_VERSION, as it was compiled
  unsigned can;     ///< bits of graphprof_backend_can
  const char *name; ///< letters, digits, '-' and '_': what GRAPHPROF_BACKEND says and outputs show

  // What a profiler asks (ProfilerStubs)

  /// Is there a device? Null: no, as ProfilerStubs has it.
  int (*enabled)(void) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Makes an event and records it in `stream`. `device` (null: not asked for) gets the ordinal of
  /// the device that is current, -1 where there is none; `cpu_ns` (null: not asked for) the host's
  /// time just before the event was recorded, nanoseconds since the Unix epoch. Does not wait.
  graphprof_backend_status (*record)(graphprof_stream stream, int *device, graphprof_event *event,
                                     int64_t *cpu_ns) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Gives an event back. It may be one of a graph that is launched again: the backend keeps what
  /// the graph needs.
  void (*release)(graphprof_event event) GRAPHPROF_BACKEND_NOEXCEPT;
  /// In `us` the microseconds from one event to the other, negative where the second came first.
  /// Waits for both. Invalid where an event never happened: captured, and not launched yet; or one
  /// is of a graph and the other is not.
  graphprof_backend_status (*elapsed)(graphprof_event begin, graphprof_event end,
                                      float *us) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Shown to the device's own tools, beside what graphprof shows itself: a moment; a range of this
  /// thread. Null where there are none.
  void (*mark)(const char *name) GRAPHPROF_BACKEND_NOEXCEPT;
  void (*range_push)(const char *name) GRAPHPROF_BACKEND_NOEXCEPT;
  void (*range_pop)(void) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Calls `work` with each device's ordinal, in order, while it is the current one. Afterwards the
  /// one that was current is again.
  graphprof_backend_status (*on_each_device)(void (*work)(int device, void *argument),
                                             void *argument) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Waits until the current device has done all that it was given.
  graphprof_backend_status (*synchronize)(void) GRAPHPROF_BACKEND_NOEXCEPT;

  // What graphprof asks of events besides

  /// Has it happened? Ok or not ready; does not wait.
  graphprof_backend_status (*happened)(graphprof_event event) GRAPHPROF_BACKEND_NOEXCEPT;
  /// When it happened, nanoseconds since the Unix epoch. Does not wait. (can_place)
  graphprof_backend_status (*when)(graphprof_event event, int64_t *ns) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Why this thread's last call failed, a sentence without a full stop; never null.
  const char *(*why)(void)GRAPHPROF_BACKEND_NOEXCEPT;

  // Graphs (can_graph). A replay's times go to a buffer, several replays deep, from which they are
  // read without waiting: add the timing nodes, bind a buffer, instantiate, attach, then for each
  // launch arm, launch, launched. The times of a buffer of n boundaries are those of the begin and
  // of n - 1 boundaries behind it.

  /// Adds a timing node to `graph`, behind the `count` nodes of `behind`: for a begin none, for an
  /// end all that no other waits for. A boundary may name other boundaries too: it reads no
  /// earlier.
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
  /// Points timing nodes at a buffer, before their graph is instantiated: `nodes` are the begin and
  /// the boundaries behind it, as many as the buffer was made for.
  graphprof_backend_status (*bind)(graphprof_buffer buffer, const graphprof_node *nodes,
                                   size_t count, graphprof_node end) GRAPHPROF_BACKEND_NOEXCEPT;
  /// `exec` was instantiated from that graph.
  graphprof_backend_status (*attach)(graphprof_buffer buffer,
                                     graphprof_exec exec) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Before a launch, whose times will be read if it is `timed`. Launches of one exec follow each
  /// other. Does not wait.
  graphprof_backend_status (*arm)(graphprof_buffer buffer, int timed) GRAPHPROF_BACKEND_NOEXCEPT;
  /// After a launch that the device accepted; `sequence` (null: not asked for) is its number, which
  /// counts up by one.
  graphprof_backend_status (*launched)(graphprof_buffer buffer,
                                       uint64_t *sequence) GRAPHPROF_BACKEND_NOEXCEPT;
  /// In `times`, as many as the buffer was made for, when the boundaries of that launch were
  /// reached: nanoseconds since the Unix epoch, GRAPHPROF_BACKEND_UNREACHED where one was not. Ok,
  /// not ready, or lost: newer launches have taken its place, it was not timed, or it was read
  /// already. Does not wait.
  graphprof_backend_status (*read)(graphprof_buffer buffer, uint64_t sequence, int64_t *times,
                                   size_t count) GRAPHPROF_BACKEND_NOEXCEPT;
  /// How many launches it holds at least.
  uint64_t (*depth)(graphprof_buffer buffer) GRAPHPROF_BACKEND_NOEXCEPT;
  /// Gives a buffer back, once no launch of its exec comes any more. Not ready, and the buffer as
  /// it was, while one is out.
  graphprof_backend_status (*free_buffer)(graphprof_buffer buffer) GRAPHPROF_BACKEND_NOEXCEPT;
};

/// Registers a backend for the life of the process. From a static constructor, or as early as the
/// program can: which backend is used is decided when that is first asked for. Invalid, said on
/// stderr and without effect: a name that is registered already, or none; a struct of an unknown
/// version or without the functions that it claims. Any thread.
graphprof_backend_status
graphprof_backend_register(const struct graphprof_backend *backend) GRAPHPROF_BACKEND_NOEXCEPT;

/// The backend of that name; null: none. "cuda" and "host" are graphprof's own.
const struct graphprof_backend *graphprof_backend_find(const char *name) GRAPHPROF_BACKEND_NOEXCEPT;

/// The one that is used: what GRAPHPROF_BACKEND names, else "cuda" where there is a device, else
/// "host". A name that nobody has registered is said on stderr, once, and taken for no name. Every
/// output names it. Never null.
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
