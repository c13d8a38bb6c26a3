// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Old spellings of the public API, a line each, with the new one that the compiler has to name.
// Compiled only, by old_names.

#include <graphprof/detail/streams.h>
#include <graphprof/device_span.h>
#include <graphprof/graphprof.h>

using namespace graphprof;

void losses(const Losses &losses) {
  (void)losses.notQueued;       // not_queued
  (void)losses.notMarked;       // beyond_limit
  (void)losses.notInstantiated; // not_instantiated
  (void)losses.notMirrored;     // not_mirrored
  (void)losses.notLaunched;     // not_launched
  (void)losses.eager;           // regions_outside_graphs_failed
  (void)losses.namesCut;        // names_truncated
  (void)losses.hostSpans;       // host_spans
  (void)losses.crowdedOut;      // evicted
}

void record(Record &record) {
  (void)record.contextSize;      // context_size
  (void)record.launchNs;         // launch_ns
  (void)record.beginNs;          // begin_ns
  record.durationNs = 1;         // duration_ns
  (void)record.site->nameFormat; // name_format
}

void span(HostSpan &span) {
  (void)span.contextSize;  // context_size
  span.beginNs = 0;        // begin_ns
  span.endNs = 1;          // end_ns
  (void)span.durationNs(); // duration_ns
}

void value(const Value &value) {
  (void)value.asSigned();           // as_signed
  (void)value.asUnsigned();         // as_unsigned
  (void)value.asReal();             // as_real
  (void)value.asBoolean();          // as_boolean
  (void)value.asCharacter();        // as_character
  (void)value.asText();             // as_text
  (void)value.asAddress();          // as_address
  (void)Value(value).withKey("of"); // with_key
}

void others(const Trace &trace, const Timer &timer, const TimerRegistry<int> &registry,
            const DeviceSpan<int> &memory) {
  (void)trace.firstStep();       // first_step
  (void)trace.lastStep();        // last_step
  (void)timer.elapsedNs();       // elapsed_ns
  (void)registry.elapsedTimes(); // elapsed_times
  (void)memory.extentBytes();    // extent_bytes
  (void)memory.mostDimensions;   // max_dimensions
  (void)onCapture();             // on_capture
  (void)onStream(nullptr);       // on_stream
  (void)currentStep();           // current_step
  (void)inStep();                // in_step
}
