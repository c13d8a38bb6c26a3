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
  const unrecorded = [data.host === null ? 'what threads did (`GRAPHPROF_HOST_SPANS=1` records it)' : null, data.memory.length === 0 ? 'memory (`GRAPHPROF_MEMORY=1` records it)' : null].filter(Boolean);
  if (unrecorded.length > 0) texts.push(`Not in the recordings: ${unrecorded.join('; ')}.`);
  return texts;
}

/// Rows that differ in numbers only, added up: [{name, rows, ns, percent, kind}], the longest in a replay first.
function folded(data, rows, nameOf) {
  const groups = new Map();
  for (const row of rows) {
    const ns = perReplay(data, row), name = withoutNumbers(nameOf(row));
    if (ns === null) continue;
    if (!groups.has(name)) groups.set(name, {name: nameOf(row), rows: [], ns: 0, percent: 0, kind: row.kind});
    const group = groups.get(name);
    if (group.rows.length === 1) group.name = name;
    group.rows.push(row);
    group.ns += ns;
    group.percent = row.percent_of_replay === null || group.percent === null ? null : group.percent + row.percent_of_replay;
  }
  return [...groups.values()].sort((a, b) => b.ns - a.ns);
}
/// Regions with no other inside.
function innermost(rows) {
  const around = [], outer = new Set();
  for (const row of rows) {
    around.length = Math.min(around.length, row.depth);
    if (row.kind === 'region' && around.length > 0) outer.add(around.at(-1));
    around.push(row);
  }
  return rows.filter((row) => row.kind === 'region' && row.path !== outsideName && !outer.has(row));
}

const overview = {
  id: 'overview', title: 'Overview',
  chosen: null,
  make(section) {
    const data = side(), report = data.reports.region, {runs} = report, graphs = graphRows(data);
    const row = graphs.find((one) => one.path === this.chosen) ?? [...graphs].sort((a, b) => b.total_ns - a.total_ns)[0] ?? null;
    const unit = row ? unitFor(row.p50_ns ?? row.mean_ns) : null;
    if (page.comparison) put(section, h('div', {class: 'card head'}, h('p', {}, h('b', {}, 'Before and after: '), page.summary), h('button', {type: 'button', onclick: () => show('compare')}, 'Show the comparison')));
    put(section, row ? [this.replay(data, row, graphs, unit), replayMap(data, row, unit)] : null,
      h('div', {class: 'two even'}, this.lists(data, row).map((list) => h('div', {class: 'stack'}, list))));
    section.querySelector('.two.even').lastElementChild.append(this.recordings(data));
    section.querySelector('.two.even').firstElementChild.append(h('div', {class: 'card'}, h('h3', {}, 'What is not on this page'),
      h('ul', {class: 'plain', id: 'left-out'}, leftOut(data).map((text) => h('li', {class: 'note'}, sentence(text))),
        leftOut(data).length === 0 ? h('li', {class: 'note'}, 'Everything that was recorded of regions and nodes is here.') : null)));
  },
  /// How long a replay is, before all else.
  replay(data, row, graphs, unit) {
    const report = data.reports.region, lost = allLosses(data), time = (ns) => formatTime(ns, true, unit), exact = row.p50_ns !== null;
    const figure = (value, label, bad) => h('div', {class: `figure${bad ? ' bad' : ''}`}, h('b', {}, value), h('span', {}, label));
    return h('div', {class: 'card', id: 'one-replay'}, h('div', {class: 'hero'},
      h('div', {class: 'figure big'}, h('b', {}, inUnit(exact ? row.p50_ns : row.mean_ns, unit), h('small', {}, ` ${unit.name}`)), h('span', {}, `one replay of ${row.name}, ${exact ? 'in the median' : 'in the mean'}${row.cold ? ', cold' : ''}`)),
      row.histogram ? h('button', {type: 'button', class: 'plain', title: 'Its distribution', onclick: () => showDistribution('graph', row)}, histogramBars(row.histogram.counts, 40)) : null,
      figure(time(row.p95_ns), '95 of 100 take at most'), figure(`${inUnit(row.min_ns, unit)} .. ${time(row.max_ns)}`, 'fastest .. slowest'),
      figure(formatCount(row.count), `replays${report.cold_replays && !row.cold ? `; ${counted(report.cold_replays, 'cold one', 'cold ones')} left out` : ''}`),
      figure(lost === 0 ? 'none' : formatCount(lost), lost === 0 ? 'lost' : 'lost, see Losses', lost > 0)),
    graphs.length > 1 ? this.graphs(graphs, row) : null);
  },
  /// One row for each graph, which shows it.
  graphs(graphs, chosen) {
    const unit = unitOf(graphs.map((one) => one.p50_ns)), all = [...graphs].sort((a, b) => b.total_ns - a.total_ns), most = 12, whole = all.reduce((sum, one) => sum + one.total_ns, 0);
    return h('div', {class: 'wide'}, h('table', {id: 'graphs'}, h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Graph'), ['Replays', `Median, ${unit.name}`, `P95, ${unit.name}`, 'Of all replays\' time'].map((text) => h('th', {scope: 'col'}, text)), h('th', {class: 'bar'}, ''))),
      h('tbody', {}, all.slice(0, most).map((one) => h('tr', {'aria-current': one === chosen ? 'true' : null}, h('td', {class: 'name'}, h('button', {type: 'button', onclick: () => { this.chosen = one.path; remake('overview'); }}, one.name)), h('td', {}, formatCount(one.count)),
        h('td', {}, inUnit(one.p50_ns, unit)), h('td', {}, inUnit(one.p95_ns, unit)), h('td', {}, formatPercent(100 * one.total_ns / whole)), shareCell(100 * one.total_ns / whole, 'other'))))),
    all.length > most ? h('p', {class: 'note'}, `and ${formatCount(all.length - most)} more, see Table`) : null);
  },
  lists(data, row) {
    const region = data.reports.region.rows, paths = row && graphRows(data).length > 1 ? pathsByGraph(data).get(row.path) : null;
    const inside = (one) => !paths || paths.has(one.path);
    const regions = folded(data, innermost(region.filter((one) => inside(one) && (one.where === 'graph' || one.cold))), (one) => one.path);
    const kernels = paths ? folded(data, region.filter((one) => one.kind !== 'region' && inside(one)), (one) => one.name) : folded(data, data.reports.kernel.rows, (one) => one.name);
    const outside = region.filter((one) => one.depth === 0 && one.kind === 'region' && one.where !== 'graph' && !one.cold && one.count > 0);
    const lists = [this.list('region', 'Regions that take the most of a replay', regions, row), this.list('kernel', 'Kernels and copies that take the most of a replay', kernels, row), this.outside(outside)].filter(Boolean);
    return lists.length > 0 ? [lists.filter((_, i) => i !== 1), lists.slice(1, 2)] : [h('p', {class: 'card empty'}, 'Nothing was measured.'), null];
  },
  list(by, title, all, of) {
    if (all.length === 0) return null;
    const most = 8, groups = all.slice(0, most), unit = unitOf(groups.map((one) => one.ns)), length = of ? of.mean_ns : null, top = groups[0].ns;
    return h('div', {class: 'card long', id: `longest-${by}`}, h('h3', {}, title), h('div', {class: 'wide'}, h('table', {},
      h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, by === 'region' ? 'Region' : 'Kernel'), h('th', {class: 'bar'}, ''), h('th', {scope: 'col'}, `Per replay, ${unit.name}`), h('th', {scope: 'col'}, '% of replay'))),
      h('tbody', {}, groups.map((one) => h('tr', {}, h('td', {class: 'name', title: one.name}, h('button', {type: 'button', onclick: () => showDistribution(by === 'kernel' && one.rows[0].depth === 0 ? 'kernel' : 'region', one.rows[0])}, one.name, one.rows.length > 1 ? h('small', {}, ` ×${formatCount(one.rows.length)}`) : null)),
        shareCell(100 * one.ns / top, lookOf(one.kind)), h('td', {'data-value': one.ns}, inUnit(one.ns, unit)), h('td', {}, formatPercent(one.percent ?? (length ? 100 * one.ns / length : null)))))))),
    all.length > most ? h('p', {class: 'note'}, `${counted(all.length - most, 'shorter one', 'shorter ones')} in the table.`) : null);
  },
  /// What has no replay: a time is one execution.
  outside(rows) {
    if (rows.length === 0) return null;
    const longest = [...rows].sort((a, b) => b.mean_ns - a.mean_ns).slice(0, 8), unit = unitOf(longest.map((one) => one.mean_ns));
    return h('div', {class: 'card long', id: 'longest-outside'}, h('h3', {}, 'Regions outside graphs'), h('div', {class: 'wide'}, h('table', {},
      h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Region'), h('th', {class: 'bar'}, ''), h('th', {scope: 'col'}, `Mean, ${unit.name}`), h('th', {scope: 'col'}, 'Executions'))),
      h('tbody', {}, longest.map((one) => h('tr', {}, h('td', {class: 'name', title: one.path}, h('button', {type: 'button', onclick: () => showDistribution('region', one)}, one.path)), shareCell(100 * one.mean_ns / longest[0].mean_ns, 'region'), h('td', {'data-value': one.mean_ns}, inUnit(one.mean_ns, unit)), h('td', {}, formatCount(one.count))))))));
  },
  recordings(data) {
    const report = data.reports.region, {runs} = report, devices = [...new Set(runs.flatMap((run) => run.devices))], drivers = [...new Set(runs.map((run) => run.driver).filter(Boolean))];
    return h('div', {class: 'card'}, h('h3', {}, counted(runs.length, 'recording', 'recordings')), facts([['Device', devices.join(', ')], ['Driver', drivers.join('; ')],
      ['Graphs', report.graphs > 0 ? `${formatCount(report.graphs)}, in ${counted(report.execs, 'exec', 'execs')}` : ''], ['Regions and nodes', formatCount(report.rows.filter((one) => one.path !== outsideName).length + report.rows_left_out)], ['Replays', formatCount(report.replays)], ['Outside graphs', report.regions_outside_graphs > 0 ? `${formatCount(report.regions_outside_graphs)} regions` : '']]),
    h('ul', {class: 'plain files'}, runs.slice(0, 6).map((run, i) => h('li', {}, h('span', {class: 'mono'}, run.file), ' ', h('span', {class: 'muted'}, data.runs[i].name), run.missing ? h('p', {class: 'note bad'}, run.missing) : null))),
    runs.length > 6 ? h('p', {class: 'muted'}, `and ${formatCount(runs.length - 6)} more, see Processes`) : null);
  },
};
