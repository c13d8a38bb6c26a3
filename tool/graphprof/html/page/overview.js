// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// What was recorded, what takes the longest, and what is not on the page.

const allLosses = (data) => data.reports.region.runs.reduce((sum, run) => sum + Object.values(run.losses).reduce((a, b) => a + b, 0), 0);

/// What is left out, in sentences.
function leftOut(data) {
  const texts = [], report = data.reports.region;
  for (const [by, one] of Object.entries(data.reports))
    if (one.rows_left_out > 0) texts.push(`${counted(one.rows_left_out, 'row', 'rows')} of the table by ${by} are not on the page: the longest ${formatCount(one.rows.length)} are. \`graphprof report --json\` has all.`);
  if (report.left_out > 0) texts.push(`${counted(report.left_out, 'record', 'records')} not counted: they are of more rows than a report tells apart.`);
  const {graphs, records_outside_graphs, times, shapes, host_spans: hostSpans, memory} = data.left_out;
  if (shapes > 0) texts.push(`${counted(shapes, 'graph has', 'graphs have')} no picture here: there is no room for more.`);
  if (graphs > 0) texts.push(`${counted(graphs, 'graph has', 'graphs have')} no timeline here: there is no room for more.`);
  if (records_outside_graphs > 0) texts.push(`The timeline of what ran outside graphs ends early: ${counted(records_outside_graphs, 'record', 'records')} more.`);
  if (hostSpans > 0) texts.push(`Of what threads did while these replays were launched and ran, ${counted(hostSpans, 'span is', 'spans are')} not here: there is no room for more.`);
  if (memory > 0) texts.push(`${counted(memory, 'allocation or free is', 'allocations and frees are')} of devices for which there is no room in the view of memory.`);
  if (times > 0) texts.push(`${counted(times, 'replay or region is', 'replays or regions are')} not shown over time: there is no room for more graphs.`);
  const kept = data.replays.filter((replay) => replay.exec !== 0).length;
  if (kept < report.replays) texts.push(`Of ${counted(report.replays, 'replay', 'replays')}, ${formatCount(kept)} have a timeline: of each graph the first, the fastest, the slowest and some between. All count in every figure. \`graphprof html --replays N\` keeps more.`);
  const joined = data.series.filter((one) => Math.max(one.per_bin, one.cold_per_bin) > 1);
  if (joined.length > 0) texts.push(`Over time, up to ${formatCount(Math.max(...joined.map((one) => one.per_bin)))} replays are one point, with their least, mean and greatest time.`);
  const bins = Math.max(1, ...data.memory.map((one) => one.per_bin));
  if (bins > 1) texts.push(`In the view of memory, up to ${formatCount(bins)} allocations and frees are two points: what was the most, and what came last.`);
  const file = data.runs.some((run) => !/^(CSV|results)/.test(run.kind)); // which have neither
  const unrecorded = [data.host === null ? 'what threads did (`GRAPHPROF_HOST_SPANS=1` records it)' : null, data.memory.length === 0 ? 'memory (`GRAPHPROF_MEMORY=1` records it)' : null].filter(Boolean);
  if (file && unrecorded.length > 0) texts.push(`Not in the recordings: ${unrecorded.join('; ')}.`);
  return texts;
}

const overview = {
  id: 'overview', title: 'Overview',
  make(section) {
    const data = side(), report = data.reports.region, runs = report.runs;
    const spans = data.reports.graph.rows.filter((row) => row.count > 0);
    const devices = [...new Set(runs.flatMap((run) => run.devices))], drivers = [...new Set(runs.map((run) => run.driver).filter(Boolean))];
    const lost = allLosses(data);
    const figure = (value, label, bad) => h('div', {class: `card figure${bad ? ' bad' : ''}`}, h('b', {}, value), h('span', {}, label));
    const longest = (rows) => rows.filter((row) => row.total_ns !== null && !row.cold).sort((a, b) => b.total_ns - a.total_ns).slice(0, 8);
    const outermost = longest(report.rows.filter((row) => row.depth === 0 && row.kind === 'region')), kernels = longest(data.reports.kernel.rows);
    put(section, 
      h('div', {class: 'cards'},
        report.replays > 0 ? figure(formatCount(report.replays), `replays of ${counted(report.graphs, 'graph', 'graphs')}${report.cold_replays ? `, ${formatCount(report.cold_replays)} cold` : ''}`)
          : figure(formatCount(report.regions_outside_graphs), 'regions outside graphs'),
        spans.length === 1 ? figure(formatTime(spans[0].p50_ns), 'a replay takes in the median') : null,
        spans.length === 1 ? figure(formatTime(spans[0].p95_ns), '95 of 100 replays take at most') : null,
        figure(formatCount(report.rows.length + report.rows_left_out), 'regions and nodes'),
        figure(formatCount(runs.length), runs.length === 1 ? 'process' : 'processes'),
        figure(formatCount(lost), lost === 0 ? 'lost: nothing' : 'lost, see Losses', lost > 0)),
      h('div', {class: 'two'},
        h('div', {class: 'stack'}, this.bars('region', 'Outermost regions that take the longest', outermost), this.bars('kernel', 'Kernels and copies that take the longest', kernels),
          outermost.length + kernels.length === 0 ? h('p', {class: 'card empty'}, 'Nothing was measured.') : null),
        h('div', {class: 'card'}, h('h3', {}, 'Recordings'), h('ul', {class: 'plain'}, runs.slice(0, 8).map((run, i) => h('li', {},
          h('div', {class: 'mono'}, run.file), h('div', {class: 'muted'}, data.runs[i].name === run.file ? data.runs[i].kind : data.runs[i].name),
          run.missing ? h('p', {class: 'note bad'}, run.missing) : null))),
          runs.length > 8 ? h('p', {class: 'muted'}, `and ${formatCount(runs.length - 8)} more, see Processes`) : null,
          h('br', {}), facts([['Device', devices.join(', ')], ['Driver', drivers.join('; ')],
            ['Graphs', report.graphs > 0 ? `${formatCount(report.graphs)}, in ${counted(report.execs, 'exec', 'execs')}` : '']]))),
      page.comparison ? h('div', {class: 'card'}, h('h3', {}, 'Before and after'), h('p', {}, page.summary, '. ',
        h('button', {type: 'button', onclick: () => show('compare')}, 'Show the comparison'))) : null,
      h('div', {class: 'card'}, h('h3', {}, 'What is not on this page'),
        h('ul', {class: 'plain', id: 'left-out'}, leftOut(data).map((text) => h('li', {class: 'note'}, sentence(text))),
          leftOut(data).length === 0 ? h('li', {class: 'note'}, 'Everything that was recorded of regions and nodes is here.') : null)));
  },
  bars(by, title, rows) {
    if (rows.length === 0) return null;
    return h('div', {class: 'card'}, h('h3', {}, title), chartFigure({
      id: `chart-longest-${by}`, height: 24 + 30 * rows.length,
      summary: `${title}: ${rows.map((row) => `${row.path} ${formatTime(row.total_ns)}`).join(', ')}`,
      option: {
        grid: {left: 8, right: 100, top: 4, bottom: 4, containLabel: true},
        tooltip: tooltip({trigger: 'item', formatter: ({dataIndex}) => {
          const row = rows[dataIndex];
          return tip(row.path, [['total', formatTime(row.total_ns)], ['executions', formatCount(row.count)], ['median', formatTime(row.p50_ns, !row.rounded)], ['busy', busyText(row)], ['gap behind it', gapText(row)], ['of a replay', row.percent_of_replay === null ? null : formatPercent(row.percent_of_replay)]]);
        }}),
        xAxis: axis({type: 'value', axisLabel: {show: false}, splitLine: {show: false}}),
        yAxis: axis({type: 'category', inverse: true, data: rows.map((row) => row.path), axisLabel: {width: 260, overflow: 'truncate', color: cssColor('text'), interval: 0}, axisLine: {show: false}}),
        series: [{type: 'bar', barMaxWidth: 18, itemStyle: {borderRadius: 3, color: colors()[by === 'region' ? 0 : 2]}, data: rows.map((row) => row.total_ns), cursor: 'pointer',
          label: {show: true, position: 'right', color: cssColor('muted'), formatter: ({dataIndex}) => {
            const row = rows[dataIndex];
            return row.percent_of_replay === null ? formatTime(row.total_ns) : `${formatTime(row.total_ns)}  ${row.percent_of_replay.toFixed(1)}%`;
          }}}],
      },
      then: (chart) => chart.on('click', ({dataIndex}) => showDistribution(by, rows[dataIndex])),
    }));
  },
};
