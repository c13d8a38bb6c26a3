// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// What the critical path of a graph says of each of its nodes and regions.

/// What `graphprof report --critical-path` says of a replay's graph, by path; null: nothing.
function criticalOf(data, replay) {
  const program = data.reports.region.runs[replay.run].program;
  const graphs = data.critical.graphs.filter((graph) => graph.program === program && graph.replays > 0);
  const graph = graphs.find((one) => one.graph_name !== null ? one.graph_name === replay.graph_name : one.graph === replay.graph) ?? null;
  return graph && {graph, byPath: new Map(graph.rows.map((row) => [row.path, row]))};
}
const isOnPath = (row) => row !== undefined && row.replays > 0 && row.on_path > row.replays / 2;

function criticalTable(data, replay) {
  const critical = criticalOf(data, replay);
  if (!critical || replay.exec === 0) return null;
  const {graph} = critical, unit = unitOf(graph.rows.map((row) => row.slack_ns)), rows = graph.rows.filter((row) => row.percent_of_path > 0 || row.slack_ns !== null).sort((a, b) => b.percent_of_path - a.percent_of_path), most = 100;
  return h('div', {class: 'card long'}, h('h3', {}, 'Critical path and slack'), h('p', {class: 'note'}, `Of ${counted(graph.replays, 'warm replay', 'warm replays')}. Of their time, ${formatPercent(graph.work_percent)} is work on the critical path, and ${formatPercent(graph.gap_percent)} are gaps in it.`),
    h('div', {class: 'wide'}, h('table', {id: 'critical'}, h('thead', {}, h('tr', {}, h('th', {class: 'left', scope: 'col'}, 'Region or node'), h('th', {}, ''), ['% of critical path', 'On it', `Slack, ${unit.name}`, `Gap before it, ${unit.name}`].map((text) => h('th', {scope: 'col'}, text)), h('th', {class: 'left', scope: 'col'}, 'Waited for'))),
      h('tbody', {}, rows.slice(0, most).map((row) => h('tr', {'data-path': row.path}, h('td', {class: 'name', title: row.path}, h('span', {}, row.path)), shareCell(row.percent_of_path, 'critical-bar'), h('td', {'data-value': row.percent_of_path}, formatPercent(row.percent_of_path)),
        h('td', {}, `${formatCount(row.on_path)} of ${formatCount(row.replays)}`), h('td', {'data-value': row.slack_ns}, row.slack_ns === null ? row.no_slack ?? none : inUnit(row.slack_ns, unit)), h('td', {}, inUnit(row.gap_ns, unit)), h('td', {class: 'left name'}, h('span', {title: row.waited_for ?? ''}, row.waited_for ?? none))))))),
    rows.length > most ? h('p', {class: 'note'}, `The first ${most} of ${formatCount(rows.length)}.`) : null);
}
