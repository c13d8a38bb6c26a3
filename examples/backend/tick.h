// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// tick: a device for the example. It computes nothing; each stream is a thread that does what it is
// given in order, and says when. It knows nothing of graphprof.

#ifndef EXAMPLES_BACKEND_TICK_H
#define EXAMPLES_BACKEND_TICK_H

#include <cstdint>
#include <functional>
#include <vector>

namespace tick {

// Streams

struct Stream;
Stream *createStream();
/// Waits until it has done all.
void destroyStream(Stream *stream);
/// Keeps the stream busy for so long.
void work(Stream *stream, int microseconds);
/// Waits until all streams have done all.
void synchronize();

// Events

struct Event;
Event *createEvent();
/// Also while a stream still has to record it.
void destroyEvent(Event *event);
void record(Stream *stream, Event *event);
bool happened(const Event *event);
void wait(const Event *event);
/// When it happened: nanoseconds since the Unix epoch.
std::int64_t timeNs(const Event *event);

// Graphs, which a stream runs as a whole

struct Graph;
struct Node;
struct Exec;
Graph *createGraph();
void destroyGraph(Graph *graph);
Node *addWork(Graph *graph, const std::vector<Node *> &behind, int microseconds);
/// Calls `what` on the device's thread when all of `behind` have ended.
Node *addCall(Graph *graph, const std::vector<Node *> &behind, std::function<void()> what);
/// What the node calls in graphs that are instantiated from now on.
void setCall(Node *node, std::function<void()> what);
Exec *instantiate(const Graph *graph);
/// Not while a stream runs it.
void destroyExec(Exec *exec);
void launch(Exec *exec, Stream *stream);

/// The device's clock: nanoseconds since the Unix epoch.
std::int64_t nowNs();

} // namespace tick

#endif // EXAMPLES_BACKEND_TICK_H
