// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// The processes of a job, or of several recordings, beside each other.

/// How well the clocks of a page's processes are known, in a sentence.
function clockNote(data) {
  const {runs} = data.clocks, known = runs.filter(Boolean), off = runs.length - known.length;
  return `Clocks of processes are known within ${formatTime(Math.max(...known.map((run) => run.within_ns)), false)}.${off > 0 ? ` ${counted(off, 'process is', 'processes are')} not shown on it: no collective tells the clock.` : ''}`;
}

const processes = {
  id: 'processes', title: 'Processes',
  count: () => side().runs.length > 1 ? side().runs.length : null,
  make(section) {
    const data = side(), rows = data.reports.rank.rows.filter((row) => row.count > 0), most = 60, drawn = rows.slice(0, most);
    put(section, h('h2', {}, data.runs.length === 1 ? 'The process' : `${formatCount(data.runs.length)} processes`));
    if (rows.length > 0) put(section, h('div', {class: 'card'}, h('h3', {}, 'How long a replay takes in each'), this.chart(drawn),
      rows.length > most ? h('p', {class: 'note'}, `The first ${most} of ${formatCount(rows.length)} are drawn.`) : null));
    if (data.clocks) put(section, this.clocks(data));
    const heading = ['Process', 'Program', 'Host', 'Rank', 'Device', 'Driver', 'Clock', 'File'];
    put(section, h('div', {class: 'card long'}, h('h3', {}, 'What they ran on'), h('div', {class: 'wide'}, h('table', {id: 'runs'},
      h('thead', {}, h('tr', {}, heading.map((text) => h('th', {class: 'left', scope: 'col'}, text)))),
      h('tbody', {}, data.reports.region.runs.map((run, i) => h('tr', {}, [run.pid || none, run.program || none, run.host || none, run.rank, run.devices.join(', ') || none, run.driver ?? 'unknown', data.runs[i].backend ?? none].map((text) => h('td', {class: 'left'}, `${text}`)), h('td', {class: 'left mono'}, run.file))))))));
  },
  /// When each began on the clock of the first, and how well that is known.
  clocks(data) {
    const {job, lines, remarks, runs} = data.clocks;
    return h('div', {class: 'card long'}, h('h3', {}, 'On one clock'), h('div', {class: 'wide'}, h('table', {id: 'clocks'},
      h('thead', {}, h('tr', {}, h('th', {class: 'left', scope: 'col'}, 'Process'), ['Began', 'Known within', ...job ? ['Launches compared', 'Begins behind the first', 'P95'] : []].map((text) => h('th', {scope: 'col'}, text)))),
      h('tbody', {}, runs.map((run, i) => h('tr', {}, h('td', {class: 'left'}, shortRun(data, i)),
        run === null ? h('td', {colspan: job ? 5 : 2}, 'its clock is not known') : [h('td', {'data-value': run.began_ns}, formatMoment(run.began_ns)), h('td', {'data-value': run.within_ns}, formatTime(run.within_ns, false)),
          job ? [h('td', {}, formatCount(run.launches)), ['behind_p50_ns', 'behind_p95_ns'].map((key) => h('td', {'data-value': run[key]}, this.behind(run, run[key])))] : null]))))),
    job ? h('p', {class: 'note'}, 'By how much the device work of a launch begins later than that of the rank which is the first in it: median, and 95 of 100 at most. Cold launches are left out.')
      : h('p', {class: 'note'}, 'They are not the ranks of a job, but ran on one host, whose clock they share.'),
    lines.length > 0 ? h('ul', {class: 'plain'}, lines.map((text) => h('li', {class: 'note'}, text))) : null,
    remarks.map((text) => h('p', {class: 'note warn'}, text)),
    job ? h('p', {class: 'note'}, sentence('`graphprof merge` shows what each rank waits for.')) : null);
  },
  /// What is below the uncertainty cannot be told from nothing.
  behind(run, ns) { return ns === null ? none : ns > run.within_ns ? formatTime(ns, !run.rounded) : `<${formatTime(run.within_ns, false)}`; },
  chart(rows) {
    const color = shadeOf(0, 1), value = (row, key) => row[key] ?? 0;
    return chartFigure({
      id: 'chart-processes', height: 74 + 34 * rows.length,
      summary: rows.map((row) => `${row.name}${row.where === 'graph' ? '' : `, ${row.where}`}: median ${formatTime(row.p50_ns)}, from ${formatTime(row.min_ns)} to ${formatTime(row.max_ns)}`).join('; '),
      caption: 'The line goes from the least time to the 99th percentile, the bar to the 95th; the mark in it is the median.',
      option: {
        grid: {left: 8, right: 30, top: 8, bottom: 36, containLabel: true},
        tooltip: tooltip({trigger: 'item', formatter: ({dataIndex}) => {
          const row = rows[dataIndex];
          return tip(row.name, [['executions', formatCount(row.count)], ['least', formatTime(row.min_ns)], ['median', formatTime(row.p50_ns, !row.rounded)], ['P95', formatTime(row.p95_ns, !row.rounded)], ['P99', formatTime(row.p99_ns, !row.rounded)], ['greatest', formatTime(row.max_ns)]]);
        }}),
        xAxis: timeAxis('time of a replay', Math.max(...rows.map((row) => value(row, 'p99_ns'))), {scale: true}),
        yAxis: axis({type: 'category', inverse: true, data: rows.map((row) => `${row.name}${row.where === 'graph' ? '' : ` (${row.where})`}`), axisLabel: {color: cssColor('text'), width: 280, overflow: 'truncate'}, axisLine: {show: false}}),
        series: [{
          type: 'custom', encode: {x: [1, 2, 3, 4], y: 0}, data: rows.map((row, i) => [i, value(row, 'min_ns'), value(row, 'p50_ns'), value(row, 'p95_ns'), value(row, 'p99_ns')]),
          renderItem: (_, api) => {
            const at = (dimension) => api.coord([api.value(dimension), api.value(0)]), [left, y] = at(1), [middle] = at(2), [bar] = at(3), [right] = at(4);
            return {type: 'group', children: [
              {type: 'rect', shape: {x: left, y: y - 1, width: Math.max(1, right - left), height: 2}, style: {fill: color, opacity: .6}},
              {type: 'rect', shape: {x: left, y: y - 7, width: Math.max(1, bar - left), height: 14, r: 3}, style: {fill: color, opacity: .45}},
              {type: 'rect', shape: {x: middle - 1.5, y: y - 9, width: 3, height: 18, r: 1}, style: {fill: cssColor('text')}},
            ]};
          },
        }],
      },
    });
  },
};
