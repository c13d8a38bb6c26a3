/* Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

   capi-program CASE: one of the cases below, each a rule of graphprof/capi.h. Status 0 if it holds.
 */

#include <stdlib.h>
#include <unistd.h>

#include "check.h"

/* A region in a capture is timed in every replay, with its values, operations and bytes. */
static void capture(void) {
  useDevice();
  graphprof_capi_profile *const profile = profiled();
  CUgraph graph;
  CUgraphExec exec;
  CHECK_CUDA(graphprof_cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  const struct graphprof_capi_value values[] = {{graphprof_capi_signed, NULL, {3}},
                                                {graphprof_capi_text, "kind", {.text = "decode"}}};
  struct graphprof_capi_region_info info = inStream("layer {}");
  info.values = values, info.value_count = 2, info.flops = 1e6, info.bytes = 4096;
  graphprof_capi_region *const region = graphprof_capi_region_begin(&info);
  work();
  graphprof_capi_region_end(region);
  CHECK_CUDA(graphprof_cuStreamEndCapture(stream, &graph));
  CHECK_CUDA(graphprof_cuGraphInstantiate(&exec, graph, 0));
  replay(exec, 4);
  graphprof_capi_averages *const averages = averagesOf(profile);
  const struct graphprof_capi_average row = rowOf(averages, "layer 3");
  CHECK(row.count == 3); /* the first replay is cold */
  CHECK(row.device_time_total > 0 && row.self_device_time_total == row.device_time_total);
  CHECK(row.flops == 3e6 && row.bytes == 3 * 4096);
  graphprof_capi_averages_release(averages);
  graphprof_capi_profile_destroy(profile);
}

/* Without a stream a region is all that its thread captures meanwhile; where it captures nothing,
   the work of the stream, or the host's time. */
static void regions(void) {
  useDevice();
  graphprof_capi_profile *const profile = profiled();
  CUgraph graph;
  CUgraphExec exec;
  CHECK_CUDA(graphprof_cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  struct graphprof_capi_region_info info = inStream("all");
  info.where = graphprof_capi_in_capture_or_stream, info.stream = NULL;
  graphprof_capi_region *region = graphprof_capi_region_begin(&info);
  work();
  graphprof_capi_region_end(region);
  CHECK_CUDA(graphprof_cuStreamEndCapture(stream, &graph));
  CHECK_CUDA(graphprof_cuGraphInstantiate(&exec, graph, 0));
  replay(exec, 2);
  info = inStream("in the stream");
  info.where = graphprof_capi_in_capture_or_stream;
  region = graphprof_capi_region_begin(&info);
  work();
  graphprof_capi_region_end(region);
  info = inStream("on the host");
  info.where = graphprof_capi_in_capture_or_host;
  graphprof_capi_region_end(graphprof_capi_region_begin(&info));
  info = inStream("dropped");
  graphprof_capi_region_discard(graphprof_capi_region_begin(&info));
  graphprof_capi_region_end(NULL);
  CHECK_CUDA(cuStreamSynchronize(stream));
  CHECK(graphprof_capi_profile_stop(profile, 10000) == graphprof_capi_ok);
  graphprof_capi_trace *trace = NULL;
  CHECK(graphprof_capi_profile_trace(profile, &trace) == graphprof_capi_ok);
  enum { stamp, event, host };
  const struct graphprof_capi_event all = eventOf(trace, "all");
  CHECK(all.size && all.exec == 1 && all.duration_ns > 0 && all.clock != host);
  const struct graphprof_capi_event outside = eventOf(trace, "in the stream");
  CHECK(outside.size && outside.exec == 0 && outside.clock == event && outside.duration_ns > 0);
  CHECK(outside.line > 0 && strstr(outside.file, "check.c"));
  const struct graphprof_capi_event onHost = eventOf(trace, "on the host");
  CHECK(onHost.size && onHost.clock == host && onHost.device == -1);
  CHECK(eventOf(trace, "dropped").size == 0);
  struct graphprof_capi_host_event span = {sizeof span};
  CHECK(graphprof_capi_trace_host_event(trace, 0, &span) == graphprof_capi_ok);
  CHECK(span.end_ns >= span.begin_ns && span.captured && span.name_length == 3);
  graphprof_capi_trace_release(trace);
  graphprof_capi_profile_destroy(profile);
}

/* A region in a default stream has a host time where no context is current: nothing is lost, and
   the driver is not asked. */
static void outside(void) {
  graphprof_capi_profile *const profile = profiled();
  struct graphprof_capi_region_info info = inStream("before CUDA");
  info.stream = NULL;
  graphprof_capi_region_end(graphprof_capi_region_begin(&info));
  graphprof_capi_averages *const averages = averagesOf(profile);
  CHECK(rowOf(averages, "before CUDA").count == 1);
  struct graphprof_capi_losses losses = {sizeof losses};
  CHECK(graphprof_capi_get_losses(&losses) == graphprof_capi_ok);
  CHECK(losses.regions_outside_graphs_failed == 0 && losses.incomplete == 0);
  graphprof_capi_averages_release(averages);
  graphprof_capi_profile_destroy(profile);
}

/* The same region without a struct; an incomplete one is counted. */
static void opened(void) {
  useDevice();
  graphprof_capi_profile *const profile = profiled();
  const struct graphprof_capi_value values[] = {{graphprof_capi_signed, NULL, {.i = 7}},
                                                {graphprof_capi_real, "flops", {.d = 0.5}}};
  graphprof_capi_site *const site =
      graphprof_capi_site_of("layer {}", __FILE__, __LINE__, __func__);
  graphprof_capi_region *const region = graphprof_capi_region_open(
      site, graphprof_capi_in_capture_or_stream, stream, values, 2, NULL);
  work();
  graphprof_capi_region_end(region);
  CHECK(!graphprof_capi_region_open(NULL, graphprof_capi_in_stream, stream, NULL, 0, NULL));
  CHECK(!graphprof_capi_region_open(site, graphprof_capi_in_stream, stream, NULL, 1, NULL));
  CHECK_CUDA(cuStreamSynchronize(stream));
  graphprof_capi_averages *const averages = averagesOf(profile);
  const struct graphprof_capi_average row = rowOf(averages, "layer 7");
  CHECK(row.count == 1 && row.flops == 0.5);
  struct graphprof_capi_losses losses = {sizeof losses};
  CHECK(graphprof_capi_get_losses(&losses) == graphprof_capi_ok && losses.incomplete == 2);
  graphprof_capi_averages_release(averages);
  graphprof_capi_profile_destroy(profile);
}

static int told;
static int take(void *user) {
  (void)user;
  return 0;
}
static int wake(int (*taking)(void *), void *user) {
  CHECK(taking == take && user == &told);
  return told++ < 1 ? 0 : -1; /* nobody comes for the second */
}

/* Messages wait for who asked for them, in their order, and are printed again afterwards. */
static void messages(void) {
  graphprof_capi_keep_messages(wake, take, &told);
  graphprof_capi_say("one");
  graphprof_capi_say("one");
  graphprof_capi_say("two");
  CHECK(told == 2);
  for (int i = 0; i < 3; ++i) {
    char *text = NULL;
    CHECK(graphprof_capi_take_message(&text) == graphprof_capi_ok);
    CHECK(i == 2 ? !text : strcmp(text, i == 0 ? "graphprof: one" : "graphprof: two") == 0);
    graphprof_capi_free(text);
  }
  graphprof_capi_say("left");
  CHECK(graphprof_capi_take_message(NULL) == graphprof_capi_bad_argument);
  graphprof_capi_keep_messages(NULL, NULL, NULL); /* prints it */
  graphprof_capi_say("printed");
  CHECK(told == 3);
}

/* Tasks that take turns on a thread: regions nest in their lane only, and end in any order. */
static void lanes(void) {
  graphprof_capi_profile *const profile = profiled();
  graphprof_capi_lane *const one = graphprof_capi_lane_create(), *const two =
                                                                     graphprof_capi_lane_create();
  struct graphprof_capi_region_info first = inStream("one"), second = inStream("two"),
                                    inner = inStream("in one");
  first.where = second.where = inner.where = graphprof_capi_in_capture_or_host;
  first.lane = inner.lane = one, second.lane = two;
  graphprof_capi_region *const a = graphprof_capi_region_begin(&first);
  graphprof_capi_region *const b = graphprof_capi_region_begin(&second);
  graphprof_capi_region *const c = graphprof_capi_region_begin(&inner);
  graphprof_capi_region_end(b);
  graphprof_capi_region_end(c);
  graphprof_capi_region_end(a);
  CHECK(graphprof_capi_profile_stop(profile, 10000) == graphprof_capi_ok);
  graphprof_capi_trace *trace = NULL;
  CHECK(graphprof_capi_profile_trace(profile, &trace) == graphprof_capi_ok);
  CHECK(eventOf(trace, "one").size && eventOf(trace, "one").depth == 0);
  CHECK(eventOf(trace, "two").size && eventOf(trace, "two").depth == 0);
  CHECK(eventOf(trace, "in one").size && eventOf(trace, "in one").depth == 1);
  graphprof_capi_trace_release(trace);
  graphprof_capi_lane_release(one);
  graphprof_capi_lane_release(two);
  graphprof_capi_profile_destroy(profile);
}

/* Equal places are one site. Beyond 10,000 all are one, and its regions are counted. */
static void sites(void) {
  CHECK(graphprof_capi_site_of("a", "f", 1, NULL) == graphprof_capi_site_of("a", "f", 1, NULL));
  CHECK(graphprof_capi_site_of("a", "f", 1, NULL) != graphprof_capi_site_of("a", "f", 2, NULL));
  CHECK(!graphprof_capi_site_of(NULL, "f", 1, NULL));
  for (int i = 0; i < 10000; ++i)
    (void)graphprof_capi_site_of("many", "f", i, NULL);
  CHECK(graphprof_capi_site_of("b", "f", 1, NULL) == graphprof_capi_site_of("c", "f", 1, NULL));
  struct graphprof_capi_losses losses = {sizeof losses};
  CHECK(graphprof_capi_get_losses(&losses) == graphprof_capi_ok && losses.names_truncated > 0);
}

static void formats(void) {
  const struct graphprof_capi_value values[] = {{graphprof_capi_real, NULL, {.d = 0.5}},
                                                {graphprof_capi_signed, "batch", {.i = 8}}};
  CHECK(graphprof_capi_check_format("{:.2f}", values, 2) == graphprof_capi_ok);
  CHECK(graphprof_capi_check_format("{{}}", NULL, 0) == graphprof_capi_ok);
  CHECK_FAILS(graphprof_capi_bad_argument, "1 value",
              graphprof_capi_check_format("{} {}", values, 2));
  CHECK_FAILS(graphprof_capi_bad_argument, "{:d}", graphprof_capi_check_format("{:d}", values, 2));
  CHECK_FAILS(graphprof_capi_bad_argument, "0 values", graphprof_capi_check_format("{", NULL, 0));
}

/* Callers that were compiled with a smaller or a larger struct. */
static void structs(void) {
  struct {
    struct graphprof_capi_losses known;
    uint64_t later;
  } larger = {{sizeof larger}, 7};
  CHECK(graphprof_capi_get_losses(&larger.known) == graphprof_capi_ok);
  CHECK(larger.known.size == sizeof larger && larger.later == 7);
  struct graphprof_capi_losses smaller = {offsetof(struct graphprof_capi_losses, dropped)};
  smaller.dropped = 7;
  CHECK(graphprof_capi_get_losses(&smaller) == graphprof_capi_ok && smaller.dropped == 7);
  struct graphprof_capi_losses none = {0};
  CHECK_FAILS(graphprof_capi_bad_argument, "losses", graphprof_capi_get_losses(&none));
  CHECK(graphprof_capi_version() == GRAPHPROF_CAPI_VERSION);
  for (int status = graphprof_capi_ok; status <= graphprof_capi_off + 1; ++status)
    CHECK(*graphprof_capi_error(status));
  struct graphprof_capi_support support = {sizeof support};
  CHECK(graphprof_capi_get_support(&support) == graphprof_capi_ok);
  CHECK(support.active && support.driver && !support.interposed);
}

static void schedules(void) {
  struct graphprof_capi_schedule schedule = {sizeof schedule, 1, 1, 2, 1, 0, 0};
  const int expected[] = {0, 1, 2, 3, 0, 0};
  for (int step = 0; step < 6; ++step)
    CHECK(graphprof_capi_action(&schedule, step) == expected[step]);
  CHECK(graphprof_capi_check_schedule(&schedule) == graphprof_capi_ok);
  schedule.active = 0;
  CHECK_FAILS(graphprof_capi_bad_argument, "active", graphprof_capi_check_schedule(&schedule));
}

struct Traces {
  int count;
  graphprof_capi_trace *last;
};
static void ready(void *user, graphprof_capi_trace *trace) {
  struct Traces *const traces = user;
  graphprof_capi_trace_release(traces->last);
  ++traces->count, traces->last = trace;
}
static int secondOnly(void *user, int64_t step) {
  (void)user;
  return step == 1 ? 3 : 0;
}

/* A profile records the steps of its schedule, and hands each trace to the callback. */
static void profiles(void) {
  useDevice();
  struct Traces traces = {0, NULL};
  const struct graphprof_capi_schedule schedule = {sizeof schedule, 0, 1, 1, 2, 0, 0};
  struct graphprof_capi_profile_options options = {sizeof options};
  options.schedule = &schedule, options.on_trace_ready = ready, options.user = &traces;
  graphprof_capi_profile *profile = NULL;
  CHECK(graphprof_capi_profile_create(&options, &profile) == graphprof_capi_ok);
  CHECK(graphprof_capi_profile_start(profile) == graphprof_capi_ok);
  CHECK(graphprof_capi_profile_metadata(profile, "model", "a \"name\"", 0, 1) == graphprof_capi_ok);
  CHECK_FAILS(graphprof_capi_bad_argument, "not JSON",
              graphprof_capi_profile_metadata(profile, "model", "{", 1, 0));
  CUgraphExec exec = capturedIn("step");
  for (int step = 0; step < 6; ++step) {
    CHECK(graphprof_capi_profile_step_num(profile) == step);
    replay(exec, 1);
    CHECK(graphprof_capi_profile_step(profile) == graphprof_capi_ok);
  }
  CHECK(graphprof_capi_profile_stop(profile, 10000) == graphprof_capi_ok);
  CHECK(traces.count == 2);
  struct graphprof_capi_trace_info info = {sizeof info};
  CHECK(graphprof_capi_trace_get(traces.last, &info) == graphprof_capi_ok);
  CHECK(info.cycle == 2 && info.first_step == 3 && info.last_step == 3 && info.event_count == 1);
  CHECK(strlen(info.trace_id) == 32);
  graphprof_capi_profile_destroy(profile);
  CHECK(eventOf(traces.last, "step").step >= 0); /* a trace outlives its profile */
  graphprof_capi_trace_release(traces.last);

  struct graphprof_capi_profile_options byFunction = {sizeof byFunction};
  byFunction.action = secondOnly;
  CHECK(graphprof_capi_profile_create(&byFunction, &profile) == graphprof_capi_ok);
  CHECK(graphprof_capi_profile_start(profile) == graphprof_capi_ok);
  for (int step = 0; step < 3; ++step) {
    replay(exec, 1);
    CHECK(graphprof_capi_profile_step(profile) == graphprof_capi_ok);
  }
  graphprof_capi_averages *const averages = averagesOf(profile);
  CHECK(rowOf(averages, "step").count == 1);
  graphprof_capi_averages_release(averages);
  graphprof_capi_profile_destroy(profile);
}

static graphprof_capi_trace *traceOfOne(graphprof_capi_profile **profile) {
  useDevice();
  *profile = profiled();
  replay(capturedIn("layer"), 3);
  CHECK(graphprof_capi_profile_stop(*profile, 10000) == graphprof_capi_ok);
  graphprof_capi_trace *trace = NULL;
  CHECK(graphprof_capi_profile_trace(*profile, &trace) == graphprof_capi_ok);
  return trace;
}

/* Files appear; what cannot be written fails with its reason, and not on stderr only. */
static void exports(void) {
  graphprof_capi_profile *profile = NULL;
  graphprof_capi_trace *const trace = traceOfOne(&profile);
  char folder[] = "/tmp/graphprof-capi-XXXXXX", path[64];
  CHECK(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/trace.json", folder);
  CHECK(graphprof_capi_trace_export(trace, "chrome_trace", path, NULL) == graphprof_capi_ok);
  CHECK(access(path, R_OK) == 0 && unlink(path) == 0);
  CHECK(graphprof_capi_trace_export(trace, "stacks", path, "self_cuda_time_total") ==
        graphprof_capi_ok);
  CHECK(unlink(path) == 0 && rmdir(folder) == 0);
  CHECK_FAILS(graphprof_capi_failed, "No such file",
              graphprof_capi_trace_export(trace, "chrome_trace", path, NULL));
  CHECK_FAILS(graphprof_capi_failed, "self_cuda_time_total",
              graphprof_capi_trace_export(trace, "stacks", path, "gpu"));
  CHECK_FAILS(graphprof_capi_unknown, "chrome_trace",
              graphprof_capi_trace_export(trace, "pprof", path, NULL));
  graphprof_capi_trace_release(trace);
  graphprof_capi_profile_destroy(profile);
}

static void averages(void) {
  graphprof_capi_profile *profile = NULL;
  graphprof_capi_trace *const trace = traceOfOne(&profile);
  graphprof_capi_averages *all = NULL;
  CHECK(graphprof_capi_trace_averages(trace, 0, 1, &all) == graphprof_capi_ok);
  graphprof_capi_trace_release(trace);
  CHECK(strstr(rowOf(all, "layer").stack, "check.c"));
  char *table = NULL;
  CHECK(graphprof_capi_averages_table(all, NULL, &table) == graphprof_capi_ok);
  CHECK(strstr(table, "layer") && strstr(table, "Self CUDA time total:"));
  graphprof_capi_free(table);
  struct graphprof_capi_table_options sorted = {
      sizeof sorted, "cuda_time_total", 0, 0, 0, 0, "a header", NULL, 0, 1};
  CHECK(graphprof_capi_averages_table(all, &sorted, &table) == graphprof_capi_ok);
  CHECK(strstr(table, "a header") && !strstr(table, "layer")); /* row_limit is 0 */
  graphprof_capi_free(table);
  sorted.sort_by = "beauty";
  CHECK_FAILS(graphprof_capi_unknown, "beauty",
              graphprof_capi_averages_table(all, &sorted, &table));
  struct graphprof_capi_average row = {sizeof row};
  CHECK_FAILS(graphprof_capi_bad_argument, "index",
              graphprof_capi_averages_row(all, graphprof_capi_averages_size(all), &row));
  graphprof_capi_averages_release(all);
  graphprof_capi_profile_destroy(profile);
}

/* An output by its name gets what is recorded from then on. */
static void outputs(void) {
  useDevice();
  char folder[] = "/tmp/graphprof-capi-XXXXXX", path[64], line[256] = "";
  CHECK(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/replays.csv", folder);
  graphprof_capi_profile_destroy(profiled()); /* from then on only what is asked for is recorded */
  CHECK(graphprof_capi_add_output(path) == graphprof_capi_ok);
  CHECK(graphprof_capi_recording());
  CHECK_FAILS(graphprof_capi_unknown, "table", graphprof_capi_add_output("tables"));
  char *items = NULL;
  CHECK(graphprof_capi_output_items(&items) == graphprof_capi_ok && strstr(items, "table"));
  graphprof_capi_free(items);
  graphprof_capi_stop();
  CHECK(!graphprof_capi_recording());
  graphprof_capi_start();
  replay(capturedIn("written"), 1);
  CHECK(graphprof_capi_flush(10000) == graphprof_capi_ok);
  FILE *const file = fopen(path, "r");
  CHECK(file && fgets(line, sizeof line, file) && fgets(line, sizeof line, file));
  CHECK(strstr(line, "written"));
  if (file)
    fclose(file);
  graphprof_capi_step();
  CHECK(graphprof_capi_current_step() == 0);
  unlink(path);
}

/* The name that a thread gives is that of the graph it captures; a launch may have its own. */
static void graphNames(void) {
  useDevice();
  graphprof_capi_profile *const profile = profiled();
  CUgraph captured;
  CUgraphExec exec;
  char keyed[] = "batch";
  const struct graphprof_capi_value values[] = {{graphprof_capi_text, NULL, {.text = "long"}},
                                                {graphprof_capi_signed, keyed, {8}}};
  graphprof_capi_graph_name *name = graphprof_capi_graph_name_begin("decode {}", values, 2);
  keyed[0] = '?'; /* it was copied */
  CHECK(name);
  CHECK_CUDA(graphprof_cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  const struct graphprof_capi_region_info info = inStream("step");
  graphprof_capi_region *const region = graphprof_capi_region_begin(&info);
  work();
  graphprof_capi_region_end(region);
  CHECK_CUDA(graphprof_cuStreamEndCapture(stream, &captured));
  graphprof_capi_graph_name_end(name);
  CHECK_CUDA(graphprof_cuGraphInstantiate(&exec, captured, 0));
  replay(exec, 1);
  name = graphprof_capi_graph_name_begin("once", NULL, 0);
  replay(exec, 1);
  graphprof_capi_graph_name_end(name);
  CHECK(!graphprof_capi_graph_name_begin(NULL, NULL, 0));
  CHECK(!graphprof_capi_graph_name_begin("values", NULL, 1));
  graphprof_capi_graph_name_end(NULL);
  graphprof_capi_trace *trace = NULL;
  CHECK(graphprof_capi_profile_stop(profile, 10000) == graphprof_capi_ok);
  CHECK(graphprof_capi_profile_trace(profile, &trace) == graphprof_capi_ok);
  static const char *const expected[] = {"decode long batch=8", "once"};
  for (size_t i = 0; i < 2; ++i) {
    struct graphprof_capi_event event = {sizeof event};
    CHECK(graphprof_capi_trace_event(trace, i, &event) == graphprof_capi_ok);
    CHECK(event.graph_name_length == strlen(expected[i]) &&
          memcmp(event.graph_name, expected[i], event.graph_name_length) == 0);
  }
  graphprof_capi_trace_release(trace);
  graphprof_capi_profile_destroy(profile);
}

/* What makes no sense is refused, with a text, and nothing crashes. */
static void arguments(void) {
  graphprof_capi_profile *profile = NULL;
  CHECK_FAILS(graphprof_capi_bad_argument, "options",
              graphprof_capi_profile_create(NULL, &profile));
  CHECK_FAILS(graphprof_capi_bad_argument, "profile", graphprof_capi_profile_step(NULL));
  CHECK_FAILS(graphprof_capi_bad_argument, "item", graphprof_capi_add_output(NULL));
  CHECK_FAILS(graphprof_capi_bad_argument, "format", graphprof_capi_check_format(NULL, NULL, 0));
  CHECK(!graphprof_capi_region_begin(NULL));
  struct graphprof_capi_losses losses = {sizeof losses};
  CHECK(graphprof_capi_get_losses(&losses) == graphprof_capi_ok && losses.incomplete == 1);
  graphprof_capi_profile_destroy(NULL);
  graphprof_capi_trace_release(NULL);
  graphprof_capi_averages_release(NULL);
  graphprof_capi_bench_release(NULL);
  graphprof_capi_lane_release(NULL);
  graphprof_capi_free(NULL);
}

/* With GRAPHPROF_ENABLED=0 nothing is measured, and nothing fails but what asks for an output. */
static void off(void) {
  CHECK(!graphprof_capi_active());
  const struct graphprof_capi_region_info info = inStream("none");
  CHECK(!graphprof_capi_region_begin(&info));
  CHECK(!graphprof_capi_graph_name_begin("none", NULL, 0));
  CHECK_FAILS(graphprof_capi_off, "off", graphprof_capi_add_output("table"));
  graphprof_capi_profile *const profile = profiled();
  graphprof_capi_averages *const all = averagesOf(profile);
  CHECK(graphprof_capi_averages_size(all) == 0);
  graphprof_capi_averages_release(all);
  graphprof_capi_profile_destroy(profile);
}

int main(int count, char **words) {
  static const struct {
    const char *name;
    void (*run)(void);
  } cases[] = {{"regions", regions},     {"capture", capture},
               {"outside", outside},     {"lanes", lanes},
               {"sites", sites},         {"formats", formats},
               {"structs", structs},     {"schedules", schedules},
               {"profiles", profiles},   {"exports", exports},
               {"averages", averages},   {"outputs", outputs},
               {"arguments", arguments}, {"off", off},
               {"graph", graph},         {"callable", callable},
               {"compared", compared},   {"failing", failing},
               {"options", options},     {"opened", opened},
               {"messages", messages},   {"graph_names", graphNames}};
  for (size_t i = 0; count == 2 && i < sizeof cases / sizeof *cases; ++i)
    if (strcmp(words[1], cases[i].name) == 0) {
      cases[i].run();
      return failures ? 1 : 0;
    }
  fprintf(stderr, "usage: capi-program CASE\n");
  return 2;
}
