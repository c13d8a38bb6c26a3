// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// What `graphprof diff` says: the verdict first, then a verdict and an interval for each region.

const verdicts = ['slower', 'faster', 'undecided', 'not comparable', 'new', 'gone', 'same'];

/// The figure of a region that its verdict comes from, as a word: usually the mean, which is what a user pays.
const decidingFigure = (finding) => finding.by.length === 1 ? finding.by[0] : 'mean';
/// Of `figure` on both sides, as a text.
const figureText = (finding, figure) => {
  const of = finding[figure];
  return `${figure === 'p95' ? 'P95' : figure}: ${formatTime(of.before_ns)}, then ${formatTime(of.after_ns)}${of.ratio !== null ? `, ${formatRatio(of.ratio)} (${formatRatio(of.low)} .. ${formatRatio(of.high)})` : ''}`;
};

const compareView = {
  id: 'compare', title: 'Compare', bad: 'slower',
  count: () => page.comparison.counts.slower || null,
  search: '', verdict: 'all', shown: 200,
  make(section) {
    const {comparison} = page, counts = comparison.counts;
    if (this.verdict !== 'all' && !counts[this.verdict]) this.verdict = 'all';
    this.hasBusy = comparison.findings.some((one) => one.before_busy_ns !== null || one.after_busy_ns !== null);
    this.body = h('tbody', {});
    this.headings = h('tr', {});
    this.more = h('div', {class: 'more'});
    put(section, this.verdictCard(comparison), comparison.remarks.length > 0 ? h('ul', {class: 'plain'}, comparison.remarks.map((text) => h('li', {class: 'note warn'}, text))) : '',
    h('div', {class: 'head'}, h('h2', {}, 'Each region'),
      selectOf('Show', [['all', 'all'], ...verdicts.filter((one) => counts[one] > 0).map((one) => [one, `${one} (${formatCount(counts[one])})`])], this.verdict, (value) => { this.verdict = value; this.shown = 200; this.fill(); }, 'verdict'),
      h('input', {type: 'search', id: 'compare-search', placeholder: 'Search (/)', 'aria-label': 'Search by path', value: this.search, oninput: ({target}) => { this.search = target.value; this.shown = 200; this.fill(); }})),
    h('div', {class: 'card long'}, h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Comparison'}, h('table', {id: 'findings'}, h('thead', {}, this.headings), this.body)), this.more),
    h('p', {class: 'note'}, `A point is the change, the line its interval: right of the middle is slower. Between the dashed lines a change is below the threshold. Means, unless a verdict comes from a median; a time says the others when you point at it. A change counts if its whole interval is on one side of nothing, and if it is more than ${(100 * comparison.threshold).toFixed(1)} % and ${formatTime(comparison.floor_ns, false)}. All intervals together hold with ${(100 * comparison.confidence).toFixed(0)} %. ${counted(comparison.before.length, 'process', 'processes')} before, ${formatCount(comparison.after.length)} after.${this.hasBusy ? ' Of a busy time, each process has one value: its interval comes from the differences between processes, and it changes no verdict of a region.' : ''}`));
    this.fill();
  },
  /// What a reader wants to know first: what became slower, and by how much a replay did.
  verdictCard({counts, findings}) {
    const some = (verdict) => counts[verdict] > 0, changed = some('slower') || some('faster');
    const title = changed ? [['slower', '▲'], ['faster', '▼']].filter(([verdict]) => some(verdict)).map(([verdict, sign]) => h('span', {class: `sign ${verdict}`}, `${sign} ${formatCount(counts[verdict])} ${verdict}`)) : [h('span', {class: 'sign'}, some('undecided') ? 'Nothing changed for certain' : 'Nothing became slower or faster')];
    const replays = findings.filter((one) => /^\(replays of /.test(one.path) && one.mean.before_ns > 0 && one.mean.after_ns > 0).slice(0, 6);
    return h('div', {class: 'card', id: 'verdicts'}, h('h2', {class: 'signs'}, title), h('p', {class: 'muted'}, page.summary),
      replays.length > 0 ? h('ul', {class: 'plain'}, replays.map((one) => {
        const figure = decidingFigure(one), of = one[figure], unit = unitFor(of.before_ns);
        return h('li', {class: 'replay-change'}, h('span', {}, `A replay${replays.length > 1 ? ` of ${/^\(replays of (.*)\)$/.exec(one.path)[1]}` : ''}: `), h('b', {}, `${inUnit(of.before_ns, unit)} → ${formatTime(of.after_ns, true, unit)}`), ' ', h('b', {}, formatRatio(of.after_ns / of.before_ns)), of.ratio !== null ? h('span', {class: 'muted'}, ` (${formatRatio(of.low)} .. ${formatRatio(of.high)})`) : null, ' ', this.pill(one.verdict));
      })) : null);
  },
  pill: (verdict) => h('span', {class: `verdict ${verdict.replaceAll(' ', '-')}`}, verdict),
  findings() {
    const matches = wordsIn(this.search);
    return page.comparison.findings.filter((one) => (this.verdict === 'all' || one.verdict === this.verdict) && matches(`${one.path} ${one.renamed_from ?? ''}`));
  },
  fill() {
    const found = this.findings(), shown = found.slice(0, this.shown), unit = unitOf(shown.map((one) => one.mean.after_ns ?? one.mean.before_ns)), scale = this.scaleOf(shown);
    const titles = [...[`Before, ${unit.name}`, `After, ${unit.name}`, 'Change'], ...['Interval'], ...this.hasBusy ? [`Busy before, ${unit.name}`, `Busy after, ${unit.name}`, 'Change', 'Interval', 'Busy', `Gap before, ${unit.name}`, `Gap after, ${unit.name}`] : []].map((text) => h('th', {scope: 'col'}, text));
    titles.splice(3, 0, h('th', {scope: 'col', class: 'left interval'}, h('span', {}, `-${scale}%`), h('span', {}, '0'), h('span', {}, `+${scale}%`)));
    this.headings.replaceChildren(...['Region', 'Verdict'].map((text) => h('th', {class: 'left', scope: 'col'}, text)), ...titles);
    this.body.replaceChildren(...shown.map((one) => {
      const figure = decidingFigure(one), of = one[figure];
      const change = of.ratio !== null ? formatRatio(of.ratio) : of.before_ns > 0 && of.after_ns > 0 ? `(${formatRatio(of.after_ns / of.before_ns)})` : none;
      const all = ['mean', 'median', 'p95'].map((name) => figureText(one, name)).join('\n');
      return h('tr', {'data-path': one.path}, h('td', {class: 'name', title: `${one.path}${one.source ? `\n${one.source}` : ''}`}, this.name(one), one.note ? h('small', {style: {'white-space': 'normal'}}, one.note) : null),
        h('td', {class: 'left'}, this.pill(one.verdict), figure === 'mean' ? null : h('small', {}, ` ${figure}`)),
        h('td', {'data-value': of.before_ns, title: all}, inUnit(of.before_ns, unit)), h('td', {'data-value': of.after_ns, title: all}, inUnit(of.after_ns, unit)), h('td', {'data-value': of.ratio, title: all}, change),
        h('td', {class: 'interval'}, of.ratio !== null ? this.interval(one.verdict, of, scale) : ''),
        h('td', {}, of.ratio !== null ? `${formatRatio(of.low)} .. ${formatRatio(of.high)}` : none), this.hasBusy ? this.busy(one, unit) : null);
    }));
    const rest = found.length - this.shown;
    this.more.replaceChildren(...rest > 0 ? [h('button', {type: 'button', onclick: () => { this.shown += 500; this.fill(); }}, `Show ${formatCount(Math.min(500, rest))} more`)] : []);
    if (found.length === 0) this.body.append(h('tr', {}, h('td', {colspan: this.hasBusy ? 14 : 7, class: 'empty'}, 'No region is like this.')));
  },
  /// How many percent an interval's picture reaches to both sides: most intervals fit, and the threshold does.
  scaleOf(findings) {
    const ends = findings.map((one) => one[decidingFigure(one)]).filter((of) => of.ratio !== null).map((of) => 100 * Math.max(Math.abs(of.low - 1), Math.abs(of.high - 1))).sort((a, b) => a - b);
    const most = Math.max(200 * page.comparison.threshold, ends[Math.floor(.95 * (ends.length - 1))] ?? 0), step = 10 ** Math.floor(Math.log10(most));
    return Number((Math.ceil(most / step) * step).toPrecision(2));
  },
  /// An interval on the scale of all rows: a line with a point.
  interval(verdict, of, scale) {
    const half = 90, x = (ratio) => Math.max(-half, Math.min(half, 100 * (ratio - 1) / scale * half)), threshold = 100 * page.comparison.threshold / scale * half;
    const line = (at, dashed) => svg('line', {x1: at, x2: at, y1: -11, y2: 11, class: dashed ? 'threshold' : 'zero'});
    return svg('svg', {viewBox: `${-half - 5} -11 ${2 * half + 10} 22`, width: 2 * half + 10, height: 22, 'aria-hidden': 'true', class: verdict.replaceAll(' ', '-')}, line(0, false), line(threshold, true), line(-threshold, true),
      svg('line', {class: 'range', x1: x(of.low), x2: Math.max(x(of.high), x(of.low) + 1), y1: 0, y2: 0}), svg('circle', {cx: x(of.ratio), cy: 0, r: 4.5}));
  },
  /// Cells: how long it was busy on both sides, with a verdict of its own where both know it, and the gaps behind it.
  busy(one, unit) {
    const time = (key) => h('td', {'data-value': one[key]}, inUnit(one[key], unit)), verdict = one.busy_verdict;
    const change = one.busy_ratio !== null ? formatRatio(one.busy_ratio) : one.before_busy_ns > 0 && one.after_busy_ns > 0 ? `(${formatRatio(one.after_busy_ns / one.before_busy_ns)})` : none;
    return [time('before_busy_ns'), time('after_busy_ns'), h('td', {'data-value': one.busy_ratio}, change),
      h('td', {}, one.busy_ratio !== null ? `${formatRatio(one.busy_low)} .. ${formatRatio(one.busy_high)}` : none),
      h('td', {}, verdict === null ? none : this.pill(verdict)), time('before_gap_ns'), time('after_gap_ns')];
  },
  /// Its name, which leads to its distribution where that is on the page.
  name(finding) {
    const graph = /^\(replays of (.*)\)$/.exec(finding.path), by = graph ? 'graph' : 'region'; // with a name, or "graph 1 of PROGRAM"
    const find = (data) => data.reports[by].rows.find((row) => row.histogram && (graph ? row.path === graph[1] || (/^graph \d+$/.test(graph[1]) && row.path.startsWith(`${graph[1]} of `)) : row.path === finding.path));
    const to = [state.side, 1 - state.side].find((i) => find(page.sides[i].data));
    if (to === undefined) return h('span', {}, finding.path);
    return h('button', {type: 'button', onclick: () => {
      if (to !== state.side) setSide(to);
      showDistribution(by, find(side()));
    }}, finding.path);
  },
};
