// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
'use strict';

// What the page shows:
//
//     {sides: [{name, data}], summary, comparison}
//
// One side, or two, "before" and "after"; then `comparison` is what `graphprof diff --json` prints. A side's data:
//
//     reports   {region, site, kernel, graph, step, rank}: what `graphprof report --json --group-by ...` prints, with two additions:
//               rows[].histogram {from_ns, to_ns, counts}, or null; rows_left_out
//     runs      [{name, backend, losses: [sentence], untimed}], as in reports.region.runs
//     series    [{name, is_graph, run, per_bin, cold_per_bin, warm, cold}]: times in the order in which they were measured; a bin is
//               [number of its first one, of those recorded; begin, since the run began, in ns; measured; not measured; least; mean; greatest, in ns; -1: none measured]
//               and, if the run is on the clock of others (`clocks`), its begin on that
//     places    [[name, kind, source, parent]]: regions and nodes: indices in `names`, `kinds`, `sources`, and in places (-1: none)
//     graphs    [{run, graph, nodes: [[kind, name, place, around, after, early]]}]: what graphs are made of, if recordings say so: kind and
//               name as in places, its own place and that of the region around it (-1: none), the nodes that it waits for, and those of
//               them before whose end it may begin
//     critical  what `graphprof report --critical-path --json` prints
//     replays   [{run, graph, graph_name, graph_row, exec, number, cold, step, device, why, at_ns, launch_ns, span_ns, streams, items, drawn}]; exec 0: what
//               ran outside graphs. graph_name: as people call the graph, "decode batch=8" or "graph 1"; graph_row: the path of its row
//               in reports.graph. Items are four numbers each: place, begin in ns, duration in ns (-1: not measured), index in streams.
//               drawn are two each, of kernels whose busy time is known: index of the item, and how long its bar is, in ns; the gap behind it
//               stays free
//     host      what threads did while these replays were launched and ran; null: not recorded. {acts: [[kind, captured, name, source]],
//               threads: [[run, number, name]], spans}; spans are six numbers each: index in acts, in threads, begin since the run began
//               and duration in ns, index in replays whose launch it is (-1: none of them), bytes of a copy
//     memory    [{run, device, kinds, events, per_bin, peak, peak_bytes, states, blocks}]: device -1: the host's. A state is [since the run
//               began, in ns; bytes of each kind from then on]; where events share a bin (per_bin), the state with the most bytes and the
//               last one. blocks, at the peak: {largest: [{bytes, kind, address, at_ns, step, path}], more, more_bytes, unseen_bytes};
//               null: too many
//     clocks    of several processes; null: they have no clock in common. {job, lines, remarks, runs: [{began_ns, within_ns, launches,
//               behind_p50_ns, behind_p95_ns, rounded}]}: of each run, or null if its clock is not known: when it began, since the first did;
//               how exactly that is known; in how many launches of all ranks it began by how much later than the first of them
//     left_out  {graphs, records_outside_graphs, times, shapes, host_spans, memory, graph_memory}

const page = JSON.parse(document.getElementById('data').textContent);
for (const {data} of page.sides) {
  data.places = data.places.map(([name, kind, source, parent]) => ({name: data.names[name], kind: data.kinds[kind], source: data.sources[source], parent}));
  for (const place of data.places) // a place comes after the one around it
    place.path = place.parent < 0 ? place.name : `${data.places[place.parent].path}/${place.name}`;
}
for (const {data} of page.sides) // acts look like places, so that a bar is one of the two
  if (data.host) data.host.acts = data.host.acts.map(([kind, captured, name, source]) => ({host: true, name, source, captured,
    kind: {region: captured ? 'region that was captured' : 'region on the host', launch: 'launch', step: 'step', copy: 'copy to the device', mark: 'mark', range: 'range'}[kind]}));
const state = {side: page.sides.length - 1, dark: false};

const side = () => page.sides[state.side].data;
const otherSide = () => page.sides.length < 2 ? null : page.sides[1 - state.side];
const sideName = () => page.sides[state.side].name;

/// One thing of a list of replays, for people.
function replayName(data, replay) {
  const many = data.runs.length > 1 ? `${shortRun(data, replay.run)}: ` : '';
  if (replay.exec === 0) return `${many}outside graphs`;
  const why = {first: 'first', fastest: 'fastest', slowest: 'slowest', sample: ''}[replay.why];
  const marks = [replay.cold ? 'cold' : '', why].filter(Boolean).join(', ');
  const time = replay.span_ns === null ? '' : `, ${formatTime(replay.span_ns)}`;
  return `${many}${replay.graph_name}, replay ${replay.number}${time}${marks ? ` (${marks})` : ''}`;
}

function shortRun(data, run) {
  const of = data.reports.region.runs[run];
  const ranks = new Set(data.reports.region.runs.map((one) => one.rank));
  return ranks.size > 1 ? `rank ${of.rank}` : of.pid ? `pid ${of.pid}` : of.file;
}
