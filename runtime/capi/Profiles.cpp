// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements the profiles and schedules of graphprof/capi.h.

#include <memory>
#include <string>
#include <utility>

#include "Edge.h"
#include "capi/FlatTrace.h"
#include "capi/Status.h"
#include "graphprof/profile.h"
#include "graphprof/schedule.h"
#include "output/io/Json.h"
#include "process/Lifetime.h"
#include "process/Process.h"
#include "session/Session.h"

using namespace graphprof;

struct graphprof_capi_profile {
  explicit graphprof_capi_profile(profile_options options)
      : profile(std::move(options), defer_start) {}
  graphprof::profile profile;
};

namespace graphprof {
namespace {

ScheduleArguments argumentsOf(const graphprof_capi_schedule *given) {
  graphprof_capi_schedule all;
  if (!capi::read(given, all))
    throw capi::Failure{graphprof_capi_bad_argument, "schedule is NULL, or its `size` is not set"};
  ScheduleArguments arguments;
  arguments.wait = all.wait;
  arguments.warmup = all.warmup;
  arguments.active = all.active;
  arguments.repeat = all.repeat;
  arguments.skip_first = all.skip_first;
  arguments.skip_first_wait = all.skip_first_wait;
  if (!arguments.valid())
    throw capi::Failure{graphprof_capi_bad_argument,
                        "a schedule needs active >= 1, and wait, warmup, repeat, skip_first and "
                        "skip_first_wait >= 0"};
  return arguments;
}

Activities flatActivities(unsigned bits) {
  Activities activities;
  if ((bits & graphprof_capi_cpu) != 0)
    activities = activities.with({ProfilerActivity::CPU});
  if ((bits & graphprof_capi_cuda) != 0)
    activities = activities.with({ProfilerActivity::CUDA});
  return bits == 0 ? Activities::all() : activities;
}

profile_options optionsOf(const graphprof_capi_profile_options &given) {
  profile_options options;
  options.activities = flatActivities(given.activities);
  if (given.schedule)
    options.schedule = graphprof::schedule(argumentsOf(given.schedule));
  else if (given.action)
    options.schedule = [action = given.action, user = given.user](std::int64_t step) {
      const int answer = action(user, step);
      return answer < 0 || answer > 3 ? ProfilerAction::NONE : static_cast<ProfilerAction>(answer);
    };
  if (given.on_trace_ready)
    options.on_trace_ready = [ready = given.on_trace_ready, user = given.user](const Trace &trace) {
      ready(user, new graphprof_capi_trace(trace));
    };
  options.profile_memory = given.profile_memory != 0;
  options.acc_events = given.acc_events != 0;
  options.execution_trace = given.execution_trace != 0;
  options.record_shapes = given.record_shapes != 0;
  options.with_stack = given.with_stack != 0;
  options.with_flops = given.with_flops != 0;
  options.with_modules = given.with_modules != 0;
  return options;
}

// Calls `work` with the profile, which does not throw.
template <class Work> int withProfile(graphprof_capi_profile *handle, Work work) noexcept {
  if (!handle)
    return capi::missing("profile");
  return capi::guarded([&] { work(handle->profile); });
}

int arrived(bool all) noexcept {
  return all ? graphprof_capi_ok
             : capi::failed(graphprof_capi_timed_out,
                            "a trace is not complete yet; raise the timeout, or wait for the "
                            "device before");
}

} // namespace
} // namespace graphprof

int graphprof_capi_check_schedule(const graphprof_capi_schedule *schedule) {
  return capi::guarded([&] { static_cast<void>(argumentsOf(schedule)); });
}

int graphprof_capi_action(const graphprof_capi_schedule *schedule, int64_t step) {
  int action = 0;
  capi::guarded([&] { action = static_cast<int>(Schedule(argumentsOf(schedule))(step)); });
  return action;
}

int graphprof_capi_profile_create(const graphprof_capi_profile_options *given,
                                  graphprof_capi_profile **profile) {
  graphprof_capi_profile_options all;
  if (!profile || !capi::read(given, all))
    return capi::missing(profile ? "options" : "profile");
  return capi::guarded([&] { *profile = new graphprof_capi_profile(optionsOf(all)); });
}

void graphprof_capi_profile_destroy(graphprof_capi_profile *profile) { delete profile; }

int graphprof_capi_profile_start(graphprof_capi_profile *profile) {
  return withProfile(profile, [](graphprof::profile &of) { of.start(); });
}

int graphprof_capi_profile_step(graphprof_capi_profile *profile) {
  return withProfile(profile, [](graphprof::profile &of) { of.step(); });
}

int graphprof_capi_profile_stop(graphprof_capi_profile *profile, int64_t timeout_ms) {
  return profile ? arrived(profile->profile.stop(timeout_ms)) : capi::missing("profile");
}

int graphprof_capi_profile_flush(graphprof_capi_profile *profile, int64_t timeout_ms) {
  return profile ? arrived(profile->profile.flush(timeout_ms)) : capi::missing("profile");
}

int graphprof_capi_profile_toggle(graphprof_capi_profile *profile, int enable,
                                  unsigned activities) {
  return withProfile(profile, [&](graphprof::profile &of) {
    of.toggle_collection_dynamic(enable != 0, flatActivities(activities));
  });
}

int graphprof_capi_profile_metadata(graphprof_capi_profile *profile, const char *key,
                                    const char *value, int json, int preset) {
  if (!key || !value)
    return capi::missing(key ? "value" : "key");
  return withProfile(profile, [&](graphprof::profile &of) {
    const std::string text = json ? std::string(value) : jsonString(value);
    if (!isJson(text))
      throw capi::Failure{graphprof_capi_bad_argument,
                          "the metadata '" + std::string(key) + "' is not JSON: " + text};
    preset ? of.preset_metadata_json(key, text) : of.add_metadata_json(key, text);
  });
}

int64_t graphprof_capi_profile_step_num(graphprof_capi_profile *profile) {
  return profile ? profile->profile.step_num() : -1;
}

int graphprof_capi_profile_trace_id(graphprof_capi_profile *profile, char **text) {
  if (!text)
    return capi::missing("text");
  return withProfile(profile,
                     [&](graphprof::profile &of) { *text = capi::textFor(of.get_trace_id()); });
}

int graphprof_capi_profile_trace(graphprof_capi_profile *profile, graphprof_capi_trace **trace) {
  if (!trace)
    return capi::missing("trace");
  return withProfile(
      profile, [&](graphprof::profile &of) { *trace = new graphprof_capi_trace(of.trace()); });
}
