// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// The picture of a graph: a node below those that it waits for, in the column of one of them if that is free. And what its critical
// path says of each node and region.

const mostDrawn = 3000, rankHeight = 46;

/// What `graphprof report --critical-path` says of a replay's graph, by path; null: nothing.
function criticalOf(data, replay) {
  const program = data.reports.region.runs[replay.run].program;
  const graphs = data.critical.graphs.filter((graph) => graph.program === program && graph.replays > 0);
  const graph = graphs.find((one) => one.graph === replay.graph) ?? null;
  return graph && {graph, byPath: new Map(graph.rows.map((row) => [row.path, row]))};
}
const isOnPath = (row) => row !== undefined && row.replays > 0 && row.on_path > row.replays / 2;

/// Columns and ranks of nodes: [{number, kind, name, place, around, after, rank, column}].
function placeNodes(data, shape) {
  const nodes = shape.nodes.map(([kind, name, place, around, after, early], number) => ({number, kind: data.kinds[kind], name: data.names[name], place, around, after, early, rank: 0, column: 0}));
  const waiting = nodes.map((node) => node.after.length), behind = nodes.map(() => []), order = [];
  for (const node of nodes) for (const one of node.after) behind[one]?.push(node.number);
  for (const node of nodes) if (node.after.length === 0) order.push(node.number);
  for (let i = 0; i < order.length; ++i)
    for (const one of behind[order[i]]) {
      nodes[one].rank = Math.max(nodes[one].rank, nodes[order[i]].rank + 1);
      if (--waiting[one] === 0) order.push(one);
    }
  const taken = new Map();
  for (const number of order) {
    const node = nodes[number];
    if (!taken.has(node.rank)) taken.set(node.rank, new Set());
    const row = taken.get(node.rank);
    node.column = node.after.length > 0 ? Math.min(...node.after.map((one) => nodes[one].column)) : 0;
    while (row.has(node.column)) ++node.column;
    row.add(node.column);
  }
  return order.map((number) => nodes[number]);
}

graphView.picture = function (data, replay) {
  const shape = data.graphs.find((one) => one.run === replay.run && one.graph === replay.graph);
  if (!shape || replay.exec === 0) return null;
  const all = placeNodes(data, shape), nodes = all.slice(0, mostDrawn), critical = criticalOf(data, replay);
  const row = (node) => node.place < 0 ? undefined : critical?.byPath.get(data.places[node.place].path);
  const columns = Math.max(...nodes.map((node) => node.column)) + 1, ranks = Math.max(...nodes.map((node) => node.rank)) + 1;
  const byNumber = new Map(nodes.map((node, i) => [node.number, i])), edges = [];
  nodes.forEach((node) => node.after.forEach((one) => {
    const from = nodes[byNumber.get(one)];
    if (from) edges.push([from.column, from.rank, node.column, node.rank, isOnPath(row(from)) && isOnPath(row(node)) ? 1 : 0, node.early.includes(one) ? 1 : 0]);
  }));
  const shown = Math.min(ranks, 14), height = 60 + rankHeight * shown;
  const figures = (node) => {
    const of = row(node), timed = node.place < 0 ? null : data.reports.region.rows.find((one) => one.path === data.places[node.place].path);
    return [['', node.kind], ['in', node.around < 0 ? null : data.places[node.around].path], ['median', timed ? formatTime(timed.p50_ns, !timed.rounded) : null],
      ['busy', timed ? busyText(timed) : null], ['gap behind it', timed ? gapText(timed) : null],
      ['of the critical path', of ? formatPercent(of.percent_of_path) : null], ['slack', of ? of.slack_ns === null ? of.no_slack : formatTime(of.slack_ns) : null], ['waited for', of?.waited_for]];
  };
  return h('div', {class: 'card'}, h('h3', {}, `${formatCount(shape.nodes.length)} nodes, each below those that it waits for`), chartFigure({
    id: 'chart-graph', height,
    summary: `${formatCount(nodes.length)} nodes in ${formatCount(ranks)} ranks and ${formatCount(columns)} columns, ${formatCount(edges.length)} edges${critical ? `; on the critical path: ${nodes.filter((node) => isOnPath(row(node))).map((node) => node.name).slice(0, 20).join(', ')}` : ''}`,
    caption: `${critical ? 'Red: on the critical path in most replays. ' : ''}Dashed: it may begin before the other one ends. Click a node for the distribution of its times. ${ranks > shown ? 'Use the wheel, or the bar at the right, to move.' : ''}${all.length > nodes.length ? ` The first ${formatCount(mostDrawn)} of ${formatCount(all.length)} are drawn.` : ''}`,
    option: {
      grid: {left: 10, right: ranks > shown ? 40 : 10, top: 10, bottom: 10},
      xAxis: {type: 'value', show: false, min: -.5, max: columns - .5}, yAxis: {type: 'value', show: false, inverse: true, min: -.5, max: ranks - .5},
      dataZoom: ranks > shown ? [{type: 'inside', yAxisIndex: 0, filterMode: 'none', startValue: -.5, endValue: shown - .5, zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: true},
        zoomSlider({yAxisIndex: 0, filterMode: 'none', orient: 'vertical', right: 6, width: 16, top: 10, bottom: 10, startValue: -.5, endValue: shown - .5})] : [],
      tooltip: tooltip({trigger: 'item', formatter: ({seriesIndex, dataIndex}) => seriesIndex === 1 ? tip(nodes[dataIndex].name, figures(nodes[dataIndex])) : ''}),
      series: [{
        type: 'custom', silent: true, clip: true, progressive: 0, data: edges, encode: {x: [0, 2], y: [1, 3]},
        renderItem: (_, api) => {
          const [x1, y1] = api.coord([api.value(0), api.value(1)]), [x2, y2] = api.coord([api.value(2), api.value(3)]);
          if (y2 < -50 || y1 > height + 50) return null;
          const onPath = api.value(4) === 1, from = y1 + 15, to = y2 - 15, middle = (from + to) / 2;
          return {type: 'bezierCurve', shape: {x1, y1: from, x2, y2: to, cpx1: x1, cpy1: middle, cpx2: x2, cpy2: middle},
            style: {fill: 'none', stroke: cssColor(onPath ? 'bad' : 'muted'), lineWidth: onPath ? 2.5 : 1, opacity: onPath ? 1 : .6, lineDash: api.value(5) === 1 ? [4, 3] : null}};
        },
      }, {
        type: 'custom', clip: true, progressive: 0, data: nodes.map((node) => [node.column, node.rank]), encode: {x: 0, y: 1}, cursor: 'pointer',
        renderItem: (params, api) => {
          const node = nodes[params.dataIndex], [x, y] = api.coord([api.value(0), api.value(1)]);
          if (y < -50 || y > height + 50) return null;
          const width = Math.min(230, Math.max(24, api.size([1, 0])[0] - 14)), onPath = isOnPath(row(node));
          return {type: 'rect', shape: {x: x - width / 2, y: y - 15, width, height: 30, r: 6},
            style: {fill: cssColor('raised'), stroke: onPath ? cssColor('bad') : colorOf(node.kind === 'host function' ? 'host' : node.kind === 'child graph' ? 'graph' : node.kind, node.name), lineWidth: onPath ? 2.5 : 1.5},
            textContent: {style: {text: node.name, width: width - 14, overflow: 'truncate', ellipsis: '…', fontSize: 11.5, fill: cssColor('text')}}, textConfig: {position: 'inside'}};
        },
      }],
    },
    then: (chart) => chart.on('click', {seriesIndex: 1}, ({dataIndex}) => {
      const node = nodes[dataIndex], timed = node.place < 0 ? null : data.reports.region.rows.find((one) => one.path === data.places[node.place].path);
      if (timed) showDistribution('region', timed);
    }),
  }));
};

graphView.criticalTable = function (data, replay) {
  const critical = criticalOf(data, replay);
  if (!critical || replay.exec === 0) return null;
  const {graph} = critical, rows = graph.rows.filter((row) => row.percent_of_path > 0 || row.slack_ns !== null).sort((a, b) => b.percent_of_path - a.percent_of_path), most = 100;
  return h('div', {class: 'card long'}, h('h3', {}, 'Critical path and slack'), h('p', {class: 'note'}, `Of ${counted(graph.replays, 'warm replay', 'warm replays')}. Of their time, ${formatPercent(graph.work_percent)} is work on the critical path, and ${formatPercent(graph.gap_percent)} are gaps in it.`),
    h('div', {class: 'wide'}, h('table', {id: 'critical'}, h('thead', {}, h('tr', {}, h('th', {class: 'left', scope: 'col'}, 'Region or node'), ['% of critical path', 'On it', 'Slack', 'Gap before it'].map((text) => h('th', {scope: 'col'}, text)), h('th', {class: 'left', scope: 'col'}, 'Waited for'))),
      h('tbody', {}, rows.slice(0, most).map((row) => h('tr', {'data-path': row.path}, h('td', {class: 'name', title: row.path}, h('span', {}, row.path)), h('td', {class: 'share', 'data-value': row.percent_of_path, style: {'--share': `${Math.min(100, row.percent_of_path)}%`}}, formatPercent(row.percent_of_path)),
        h('td', {}, `${formatCount(row.on_path)} of ${formatCount(row.replays)}`), h('td', {'data-value': row.slack_ns}, row.slack_ns === null ? row.no_slack ?? none : formatTime(row.slack_ns)), h('td', {}, formatTime(row.gap_ns)), h('td', {class: 'left name'}, h('span', {title: row.waited_for ?? ''}, row.waited_for ?? none))))))),
    rows.length > most ? h('p', {class: 'note'}, `The first ${most} of ${formatCount(rows.length)}.`) : null);
};
