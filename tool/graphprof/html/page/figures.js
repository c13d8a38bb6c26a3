// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// Figures of one replay, from those of all replays.

const outsideName = '(outside all regions)'; // the terminal's word

/// The rows of the replays of each graph, "graph 1 of decode" or the name that the program gave it: warm ones, or cold ones if there are no others. Made once for a side.
function graphRows(data) {
  return data.graphRows ??= graphRowsIn(data);
}
function graphRowsIn(data) {
  const measured = data.reports.graph.rows.filter((row) => row.count > 0 && row.path !== null);
  const warm = new Set(measured.filter((row) => !row.cold).map((row) => row.path));
  return measured.filter((row) => row.cold !== warm.has(row.path));
}
/// The row of a graph's replays, as a kept replay names it.
function graphRowOf(data, replay) {
  return graphRows(data).find((row) => row.path === replay.graph_row) ?? null;
}
/// The paths of which regions and nodes are in each graph, by the graph's row, as far as replays are kept. Made once for a side.
function pathsByGraph(data) {
  if (data.pathsByGraph) return data.pathsByGraph;
  const all = data.pathsByGraph = new Map();
  for (const replay of data.replays) {
    const row = replay.exec === 0 ? null : graphRowOf(data, replay);
    if (!row) continue;
    if (!all.has(row.path)) all.set(row.path, new Set());
    const paths = all.get(row.path);
    for (let i = 0; i < replay.items.length; i += 4) paths.add(data.places[replay.items[i]].path);
  }
  return all;
}
/// How long the replays are, in the mean, that a share of replays is a share of: those of the graphs in which the region is.
function replayLengthOf(data, path) {
  const all = graphRows(data), paths = pathsByGraph(data);
  const of = all.length === 1 ? all : all.filter((row) => paths.get(row.path)?.has(path));
  const count = of.reduce((sum, row) => sum + row.count, 0);
  return count === 0 ? null : of.reduce((sum, row) => sum + row.total_ns, 0) / count;
}
/// The time of a row in one replay, in the mean; null: it is in none, or its graph is not known. Executions side by side count once.
function perReplay(data, row) {
  if (row.count === 0 || row.total_ns === null) return null;
  if (row.percent_of_replay !== null) {
    const length = replayLengthOf(data, row.path);
    return length === null ? null : row.percent_of_replay / 100 * length;
  }
  if (row.where !== 'graph') return null;
  const all = graphRows(data), replays = all.reduce((sum, one) => sum + one.count, 0);
  return replays === 0 ? null : row.total_ns / replays;
}
/// Devices whose times are made up: the simulated runtime's, and those that say so themselves.
const madeUpDevices = () => [...new Set(page.sides.flatMap(({data}) => data.reports.region.runs.flatMap((run) => run.devices)))].filter((name) => /simulated|made-up/i.test(name));
