// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements what graphprof/capi.h has of control.h, step.h and marks.h, and of outputs.

#include <memory>
#include <string>

#include <dlfcn.h>

#include "Edge.h"
#include "capi/Interposed.h"
#include "capi/Status.h"
#include "cuda/Driver.h"
#include "graphprof/control.h"
#include "graphprof/marks.h"
#include "graphprof/step.h"
#include "nvtx/Nvtx.h"
#include "output/MakeOutput.h"
#include "process/Lifetime.h"
#include "process/Process.h"
#include "session/Session.h"

namespace graphprof {

bool capi::interposed() noexcept {
  static const bool found = dlsym(RTLD_DEFAULT, "graphprof_preload_began") != nullptr;
  return found;
}

} // namespace graphprof

using namespace graphprof;

void graphprof_capi_start(void) { graphprof::start(); }
void graphprof_capi_stop(void) { graphprof::stop(); }
int graphprof_capi_active(void) { return graphprof::active() ? 1 : 0; }
int graphprof_capi_recording(void) { return graphprof::recording() ? 1 : 0; }

int graphprof_capi_flush(int64_t timeout_ms) {
  if (graphprof::flush(timeout_ms))
    return graphprof_capi_ok;
  return capi::failed(graphprof_capi_timed_out,
                      "not all that was launched has arrived in time; raise the timeout, or wait "
                      "for the device before");
}

int graphprof_capi_set_recording_terms(double budget, uint64_t sample_every, unsigned parts) {
  if (graphprof::set_recording_terms(
          {.budget = budget, .sample_every = sample_every, .parts = parts}))
    return graphprof_capi_ok;
  return capi::failed(
      graphprof_capi_bad_argument,
      "a budget is from 0 to 0.5, one launch in up to a billion is recorded, in up to 64 "
      "parts");
}

int graphprof_capi_get_losses(graphprof_capi_losses *losses) {
  const Losses now = graphprof::losses();
  graphprof_capi_losses all{};
  all.overrun = now.overrun;
  all.not_queued = now.not_queued;
  all.unfinished = now.unfinished;
  all.incomplete = now.incomplete;
  all.beyond_limit = now.beyond_limit;
  all.not_instantiated = now.not_instantiated;
  all.not_mirrored = now.not_mirrored;
  all.not_launched = now.not_launched;
  all.invalidated = now.invalidated;
  all.regions_outside_graphs_failed = now.regions_outside_graphs_failed;
  all.dropped = now.dropped;
  all.names_truncated = now.names_truncated;
  all.host_spans = now.host_spans;
  all.evicted = now.evicted;
  all.not_sampled = now.not_sampled;
  all.plain_kernels = now.plain_kernels;
  all.inside_kernels = now.inside_kernels;
  return capi::write(losses, all) ? graphprof_capi_ok : capi::missing("losses");
}

int graphprof_capi_get_support(graphprof_capi_support *support) {
  const Edge edge;
  graphprof_capi_support all{};
  all.active = graphprof::active() ? 1 : 0;
  all.driver = driver::functions() ? 1 : 0;
  all.interposed = capi::interposed() ? 1 : 0;
  all.nvtx = nvtx::listens() ? 1 : 0;
  all.sqlite = whyNoOutput("a.db").empty() ? 1 : 0;
  return capi::write(support, all) ? graphprof_capi_ok : capi::missing("support");
}

int graphprof_capi_add_output(const char *item) {
  if (!item)
    return capi::missing("item");
  if (!graphprof::active())
    return capi::failed(graphprof_capi_off, graphprof_capi_error(graphprof_capi_off));
  const Edge edge;
  return capi::guarded([&] {
    if (const std::string why = whyNoOutput(item); !why.empty())
      throw capi::Failure{graphprof_capi_unknown, "the output '" + std::string(item) + "' " + why};
    used();
    Session &session = process().session;
    session.inUse.store(true);
    std::unique_ptr<Output> output = session.outputIfRecorded(item);
    const bool spans = output && output->wants().hostSpans;
    const Output *const attached = session.outputs.attach(std::move(output));
    if (!attached)
      throw std::bad_alloc();
    if (drawsGraphs(item))
      ++session.drawings;
    if (keepsGraphs(item))
      ++session.structures;
    // As GRAPHPROF_OUTPUT's: also beside a profile that records only some steps.
    session.recordingSwitch.request(
        attached,
        {.device = true, .host = true, .spans = spans, .memory = session.config().memory});
  });
}

int graphprof_capi_output_items(char **text) {
  if (!text)
    return capi::missing("text");
  return capi::guarded([&] { *text = capi::textFor(outputItems()); });
}

void graphprof_capi_no_default_table(void) {
  if (graphprof::active())
    process().session.outputs.withoutDefaultTable();
}

void graphprof_capi_say(const char *text) {
  if (text)
    process().session.say(text);
}

void graphprof_capi_keep_messages(int (*wake)(int (*)(void *), void *), int (*take)(void *),
                                  void *user) {
  process().session.keepMessages(wake, take, user);
}

int graphprof_capi_take_message(char **text) {
  if (!text)
    return capi::missing("text");
  const graphprof::Edge edge;
  return capi::guarded([&] {
    const std::string next = process().session.takenMessage();
    *text = next.empty() ? nullptr : capi::textFor(next);
  });
}

void graphprof_capi_step(void) { graphprof::step(); }
int64_t graphprof_capi_current_step(void) { return graphprof::current_step(); }
void graphprof_capi_mark(const char *name) {
  if (name)
    graphprof::mark(name);
}
