// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// tick: the example's device. It computes nothing. Each stream is a thread that runs its work in
// order and records when. Knows nothing of graphprof.

#ifndef EXAMPLES_BACKEND_TICK_H
#define EXAMPLES_BACKEND_TICK_H

#include <cstdint>
#include <functional>
#include <vector>

namespace tick {

// Streams

struct Stream;
Stream *createStream();
/// Waits until the stream has finished.
void destroyStream(Stream *stream);
/// Keeps the stream busy for this time.
void work(Stream *stream, int microseconds);
/// Waits until all streams have finished.
void synchronize();

// Events

struct Event;
Event *createEvent();
/// Allowed also while a stream still has to record it.
void destroyEvent(Event *event);
void record(Stream *stream, Event *event);
bool happened(const Event *event);
void wait(const Event *event);
/// The time of the event: nanoseconds since the Unix epoch.
std::int64_t timeNs(const Event *event);

// Graphs, which a stream runs as a whole

struct Graph;
struct Node;
struct Exec;
Graph *createGraph();
void destroyGraph(Graph *graph);
Node *addWork(Graph *graph, const std::vector<Node *> &behind, int microseconds);
/// Adds a node that calls `what` on the device's thread when all nodes in `behind` have ended.
Node *addCall(Graph *graph, const std::vector<Node *> &behind, std::function<void()> what);
/// Sets what the node calls in graphs that are instantiated from now on.
void setCall(Node *node, std::function<void()> what);
Exec *instantiate(const Graph *graph);
/// Not allowed while a stream runs it.
void destroyExec(Exec *exec);
void launch(Exec *exec, Stream *stream);

/// The device's clock: nanoseconds since the Unix epoch.
std::int64_t nowNs();

} // namespace tick

#endif // EXAMPLES_BACKEND_TICK_H
