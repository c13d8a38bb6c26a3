// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// What `graphprof diff` says: a verdict and an interval for each region.

const verdicts = ['slower', 'faster', 'undecided', 'not comparable', 'new', 'gone', 'same'];

/// The figure of a region that its verdict comes from, as a word: usually the mean, which is what a user pays.
const decidingFigure = (finding) => finding.by.length === 1 ? finding.by[0] : 'mean';
/// Of `figure` on both sides, as a text.
const figureText = (finding, figure) => {
  const of = finding[figure];
  return `${figure === 'p95' ? 'P95' : figure}: ${formatTime(of.before_ns)}, then ${formatTime(of.after_ns)}${of.ratio !== null ? `, ${formatRatio(of.ratio)} (${formatRatio(of.low)} .. ${formatRatio(of.high)})` : ''}`;
};

const compareView = {
  id: 'compare', title: 'Compare', bad: true,
  count: () => page.comparison.counts.slower || null,
  search: '', verdict: 'all', shown: 200,
  make(section) {
    const {comparison} = page, counts = comparison.counts;
    if (this.verdict !== 'all' && !counts[this.verdict]) this.verdict = 'all';
    this.holder = h('div', {class: 'card'});
    this.hasBusy = comparison.findings.some((one) => one.before_busy_ns !== null || one.after_busy_ns !== null);
    this.body = h('tbody', {});
    this.more = h('div', {class: 'more'});
    put(section, h('div', {class: 'head'}, h('h2', {}, 'Before and after'), h('span', {id: 'verdicts'}, page.summary),
      selectOf('Show', [['all', 'all'], ...verdicts.filter((one) => counts[one] > 0).map((one) => [one, `${one} (${formatCount(counts[one])})`])], this.verdict, (value) => { this.verdict = value; this.shown = 200; this.fill(); }, 'verdict'),
      h('input', {type: 'search', id: 'compare-search', placeholder: 'Search (/)', 'aria-label': 'Search by path', value: this.search, oninput: ({target}) => { this.search = target.value; this.shown = 200; this.fill(); }})),
    comparison.remarks.length > 0 ? h('ul', {class: 'plain'}, comparison.remarks.map((text) => h('li', {class: 'note warn'}, text))) : '',
    this.holder,
    h('div', {class: 'card long'}, h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Comparison'}, h('table', {id: 'findings'}, h('thead', {}, h('tr', {}, ['Region', 'Verdict'].map((text) => h('th', {class: 'left', scope: 'col'}, text)), [...['Before', 'After', 'Change', 'Interval'], ...this.hasBusy ? ['Busy before', 'Busy after', 'Change', 'Interval', 'Busy', 'Gap before', 'Gap after'] : []].map((text) => h('th', {scope: 'col'}, text)))), this.body)), this.more),
    h('p', {class: 'note'}, `Means, unless a verdict comes from a median; a time says the others when you point at it. A change counts if its whole interval is on one side of nothing, and if it is more than ${(100 * comparison.threshold).toFixed(1)} % and ${axisTime(comparison.floor_ns)}. All intervals together hold with ${(100 * comparison.confidence).toFixed(0)} %. ${counted(comparison.before.length, 'process', 'processes')} before, ${formatCount(comparison.after.length)} after.${this.hasBusy ? ' Of a busy time, each process has one value: its interval comes from the differences between processes, and it changes no verdict of a region.' : ''}`));
    this.fill();
  },
  findings() {
    const matches = wordsIn(this.search);
    return page.comparison.findings.filter((one) => (this.verdict === 'all' || one.verdict === this.verdict) && matches(`${one.path} ${one.renamed_from ?? ''}`));
  },
  fill() {
    const found = this.findings();
    endCharts(this.holder);
    this.holder.replaceChildren(h('h3', {}, 'Change, with its interval'), this.chart(found.filter((one) => one.mean.ratio !== null)));
    if (this.holder.isConnected && this.holder.offsetParent) beginCharts(this.holder);
    this.body.replaceChildren(...found.slice(0, this.shown).map((one) => {
      const note = [one.renamed_from ? `was ${one.renamed_from}` : '', one.why ?? ''].filter(Boolean).join('; ');
      const figure = decidingFigure(one), of = one[figure];
      const change = of.ratio !== null ? formatRatio(of.ratio) : of.before_ns > 0 && of.after_ns > 0 ? `(${formatRatio(of.after_ns / of.before_ns)})` : none;
      const all = ['mean', 'median', 'p95'].map((name) => figureText(one, name)).join('\n');
      return h('tr', {'data-path': one.path}, h('td', {class: 'name', title: `${one.path}${one.source ? `\n${one.source}` : ''}`}, this.name(one), note ? h('small', {style: {'white-space': 'normal'}}, note) : null),
        h('td', {class: 'left'}, h('span', {class: `verdict ${one.verdict.replaceAll(' ', '-')}`}, one.verdict), figure === 'mean' ? null : h('small', {}, ` ${figure}`)),
        h('td', {'data-value': of.before_ns, title: all}, formatTime(of.before_ns)), h('td', {'data-value': of.after_ns, title: all}, formatTime(of.after_ns)), h('td', {'data-value': of.ratio, title: all}, change),
        h('td', {}, of.ratio !== null ? `${formatRatio(of.low)} .. ${formatRatio(of.high)}` : none), this.hasBusy ? this.busy(one) : null);
    }));
    const rest = found.length - this.shown;
    this.more.replaceChildren(...rest > 0 ? [h('button', {type: 'button', onclick: () => { this.shown += 500; this.fill(); }}, `Show ${formatCount(Math.min(500, rest))} more`)] : []);
    if (found.length === 0) this.body.append(h('tr', {}, h('td', {colspan: this.hasBusy ? 13 : 6, class: 'empty'}, 'No region is like this.')));
  },
  /// Cells: how long it was busy on both sides, with a verdict of its own where both know it, and the gaps behind it.
  busy(one) {
    const time = (key) => h('td', {'data-value': one[key]}, formatTime(one[key])), verdict = one.busy_verdict;
    const change = one.busy_ratio !== null ? formatRatio(one.busy_ratio) : one.before_busy_ns > 0 && one.after_busy_ns > 0 ? `(${formatRatio(one.after_busy_ns / one.before_busy_ns)})` : none;
    return [time('before_busy_ns'), time('after_busy_ns'), h('td', {'data-value': one.busy_ratio}, change),
      h('td', {}, one.busy_ratio !== null ? `${formatRatio(one.busy_low)} .. ${formatRatio(one.busy_high)}` : none),
      h('td', {}, verdict === null ? none : h('span', {class: `verdict ${verdict}`}, verdict)), time('before_gap_ns'), time('after_gap_ns')];
  },
  /// Its name, which leads to its distribution where that is on the page.
  name(finding) {
    const graph = /^\(replays of (graph \d+)\)$/.exec(finding.path), by = graph ? 'graph' : 'region';
    const find = (data) => data.reports[by].rows.find((row) => row.histogram && (graph ? row.path.startsWith(`${graph[1]} of `) : row.path === finding.path));
    const to = [state.side, 1 - state.side].find((i) => find(page.sides[i].data));
    if (to === undefined) return h('span', {}, finding.path);
    return h('button', {type: 'button', onclick: () => {
      if (to !== state.side) setSide(to);
      showDistribution(by, find(side()));
    }}, finding.path);
  },
  chart(all) {
    const most = 40, found = all.slice(0, most);
    if (found.length === 0) return h('p', {class: 'empty'}, 'None of these has an interval.');
    const percent = (ratio) => 100 * (ratio - 1), threshold = 100 * page.comparison.threshold;
    const colorOf = {slower: cssColor('bad'), faster: cssColor('good'), undecided: cssColor('warn'), same: cssColor('muted')};
    return chartFigure({
      id: 'chart-compare', height: 50 + 24 * found.length,
      summary: found.map((one) => `${one.path} ${one.verdict} ${formatRatio(one[decidingFigure(one)].ratio)}`).join('; '),
      caption: `Right of the middle: slower. Between the dashed lines a change is below the threshold.${all.length > most ? ` The ${most} that matter most of ${formatCount(all.length)}.` : ''}`,
      option: {
        grid: {left: 8, right: 30, top: 8, bottom: 8, containLabel: true},
        tooltip: tooltip({trigger: 'item', formatter: ({dataIndex}) => {
          const one = found[dataIndex];
          return tip(one.path, [['verdict', one.verdict], ...['mean', 'median', 'p95'].map((name) => figureText(one, name).split(/: (.*)/).slice(0, 2))]);
        }}),
        xAxis: axis({type: 'value', axisLabel: {formatter: (value) => `${value > 0 ? '+' : ''}${Number(value.toPrecision(4))}%`}}),
        yAxis: axis({type: 'category', inverse: true, data: found.map((one) => one.path), axisLabel: {color: cssColor('text'), width: 320, overflow: 'truncate', interval: 0}, axisLine: {show: false}}),
        series: [{
          type: 'custom', encode: {x: [1, 2, 3], y: 0}, data: found.map((one, i) => { const of = one[decidingFigure(one)]; return [i, percent(of.ratio), percent(of.low), percent(of.high)]; }),
          renderItem: (_, api) => {
            const i = api.value(0), [middle, y] = api.coord([api.value(1), i]), [left] = api.coord([api.value(2), i]), [right] = api.coord([api.value(3), i]);
            const fill = colorOf[found[i].verdict] ?? cssColor('muted');
            return {type: 'group', children: [
              {type: 'rect', shape: {x: left, y: y - 1.5, width: Math.max(2, right - left), height: 3, r: 1.5}, style: {fill}},
              {type: 'circle', shape: {cx: middle, cy: y, r: 5}, style: {fill}},
            ]};
          },
          markLine: {symbol: 'none', silent: true, label: {show: false}, data: [
            {xAxis: 0, lineStyle: {color: cssColor('muted'), type: 'solid'}}, {xAxis: threshold, lineStyle: {color: cssColor('muted'), type: 'dashed'}}, {xAxis: -threshold, lineStyle: {color: cssColor('muted'), type: 'dashed'}}]},
        }],
      },
    });
  },
};
