// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// How the times of one row are distributed; of both sides, if there are two.

function showDistribution(by, row) {
  distribution.by = by;
  distribution.path = row.path;
  distribution.where = row.where;
  show('distribution', true);
}

/// The path that a region has on the other side, if it was renamed.
function renamed(path) {
  const finding = page.comparison?.findings.find((one) => one.renamed_from && (one.path === path || one.renamed_from === path));
  return finding?.path === path ? finding.renamed_from : finding?.path;
}

const distribution = {
  id: 'distribution', title: 'Distributions',
  by: 'region', path: null, where: null,
  make(section) {
    const rowsOf = (data) => data.reports[this.by].rows.filter((row) => row.histogram);
    const rows = [...rowsOf(side())].sort((a, b) => b.total_ns - a.total_ns);
    if (rows.length === 0) {
      put(section, h('h2', {}, 'Distributions'), h('p', {class: 'card empty'}, 'Nothing was measured here.'));
      return;
    }
    const find = (list) => list.find((row) => row.path === this.path && (!this.where || row.where === this.where)) ?? list.find((row) => row.path === this.path);
    const row = find(rows) ?? rows[0];
    this.path = row.path;
    this.where = row.where;
    const input = h('input', {type: 'search', id: 'distribution-row', list: 'distribution-rows', value: row.path, 'aria-label': 'Which row', style: {width: '48ch'},
      onchange: () => { if (rows.some((one) => one.path === input.value)) { this.path = input.value; this.where = null; remake('distribution'); } }});
    const at = rows.indexOf(row), step = (by) => { const to = rows[at + by]; this.path = to.path; this.where = to.where; remake('distribution'); };
    const series = page.sides.map((one, i) => ({name: one.name || 'executions', row: i === state.side ? row : find(rowsOf(one.data)) ?? rowsOf(one.data).find((other) => other.path === renamed(row.path)), color: page.sides.length > 1 ? sideColor(i) : row.kind === 'region' ? cssColor('other') : colorOf(row.kind)})).filter((one) => one.row);
    const figures = columns.filter(({key}) => !['per_replay_ns', 'percent_of_replay'].includes(key)), unit = unitOf(series.flatMap((one) => [one.row.mean_ns, one.row.p50_ns]));
    put(section, h('div', {class: 'head'}, h('h2', {}, 'Distribution of times'),
      selectOf('Of', groupings.filter(([by]) => rowsOf2(by).length > 0), this.by, (value) => { this.by = value; this.path = null; remake('distribution'); }),
      input, h('datalist', {id: 'distribution-rows'}, rows.slice(0, 1000).map((one) => h('option', {value: one.path}))),
      h('div', {class: 'choice'}, h('button', {type: 'button', disabled: at === 0, onclick: () => step(-1)}, 'Longer'), h('button', {type: 'button', disabled: at + 1 === rows.length, onclick: () => step(1)}, 'Shorter'))),
    h('div', {class: 'card'}, h('h3', {class: 'mono'}, row.path), this.chart(series)),
    h('div', {class: 'card wide'}, h('table', {id: 'distribution-figures'}, h('thead', {}, h('tr', {}, h('th', {class: 'left', scope: 'col'}, ''), figures.map(({title, ns}) => h('th', {scope: 'col'}, ns ? `${title}, ${unit.name}` : title)), h('th', {scope: 'col'}, 'Not measured'))),
      h('tbody', {}, series.map((one) => h('tr', {}, h('td', {}, h('span', {class: 'legend'}, h('span', {}, h('i', {style: {background: one.color}}), one.name))), figures.map((column) => h('td', {'data-value': one.row[column.key]}, column.ns ? inUnit(one.row[column.key], unit, column.exact || !one.row.rounded) : column.text(one.row))), h('td', {}, formatCount(one.row.not_measured))))))),
    row.rounded ? h('p', {class: 'note'}, 'Percentiles are off by at most 0.4 %: there were too many times to keep each.') : '');

    function rowsOf2(by) { return side().reports[by].rows.filter((one) => one.histogram); }
  },
  chart(series) {
    const steps = ({row}) => {
      const {counts} = row.histogram;
      let {from_ns: from, to_ns: to} = row.histogram;
      if (!(to > from)) [from, to] = [from - Math.max(.5, .01 * from), to + Math.max(.5, .01 * to)]; // one time only: the bars are where it is
      const width = (to - from) / counts.length, total = counts.reduce((sum, one) => sum + one, 0);
      return [[from, 0], ...counts.map((count, i) => [from + i * width, 100 * count / total, count, from + (i + 1) * width, i + 1 === counts.length]), [to, 0]];
    };
    const lines = (one) => [['median', one.row.p50_ns], ['P95', one.row.p95_ns]].map(([name, xAxis]) => ({xAxis, name}));
    const most = Math.max(...series.map(({row}) => row.histogram.to_ns));
    return chartFigure({
      id: 'chart-distribution', height: 360,
      summary: series.map(({name, row}) => `${name}: ${formatCount(row.count)} times from ${formatTime(row.min_ns)} to ${formatTime(row.max_ns)}, median ${formatTime(row.p50_ns)}`).join('; '),
      caption: 'From the least time to the 99th percentile. The last part on the right also holds what took longer.',
      option: {
        grid: {left: 36, right: 30, top: 40, bottom: 40, containLabel: true},
        legend: {show: series.length > 1, top: 0, textStyle: {color: cssColor('text')}},
        xAxis: timeAxis('time of an execution', most, {scale: true, min: 'dataMin', max: 'dataMax', splitLine: {show: false}, axisLabel: {showMinLabel: false, showMaxLabel: false}}),
        yAxis: axis({type: 'value', axisLabel: {formatter: '{value}%'}, name: 'of executions', nameGap: 44}),
        tooltip: tooltip({trigger: 'axis', formatter: (all) => tip('', all.filter(({value}) => value.length > 2).map(({seriesName, value}) => [seriesName, `${counted(value[2], 'time', 'times')} from ${formatTime(value[0])} to ${value[4] ? 'the greatest' : formatTime(value[3])}`]))}),
        series: series.map((one) => ({
          type: 'line', name: one.name, step: 'end', symbol: 'none', color: one.color, lineStyle: {width: 1.5}, areaStyle: {opacity: .3}, data: steps(one),
          markLine: {symbol: 'none', silent: true, data: lines(one), lineStyle: {color: one.color, type: 'dashed'}, label: {color: cssColor('muted'), formatter: ({name}) => name, distance: 2}},
        })),
      },
    });
  },
};
