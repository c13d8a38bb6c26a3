// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// tick: the example's device. It computes nothing. Each stream is a thread that runs its work in
// order and records when. Knows nothing of graphprof.

#ifndef EXAMPLES_BACKEND_TICK_H
#define EXAMPLES_BACKEND_TICK_H

#include <cstdint>

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

/// The device's clock: nanoseconds since the Unix epoch.
std::int64_t nowNs();

} // namespace tick

#endif // EXAMPLES_BACKEND_TICK_H
