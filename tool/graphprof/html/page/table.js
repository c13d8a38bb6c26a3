// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// The rows of `graphprof report --json`, searched and sorted.

const groupings = [['region', 'Regions'], ['site', 'Places in the source'], ['kernel', 'Kernels'], ['graph', 'Graphs'], ['step', 'Steps'], ['rank', 'Processes']];
const columns = [
  {key: 'per_replay_ns', title: 'Per replay', ns: true, exact: true},
  {key: 'percent_of_replay', title: '% of replay', text: (row) => formatPercent(row.percent_of_replay)},
  {key: 'count', title: 'Count', text: (row) => formatCount(row.count)},
  {key: 'mean_ns', title: 'Mean', ns: true, exact: true},
  {key: 'p50_ns', title: 'Median', ns: true},
  {key: 'p95_ns', title: 'P95', ns: true},
  {key: 'max_ns', title: 'Max', ns: true, exact: true},
  {key: 'min_ns', title: 'Min', ns: true, exact: true, more: true},
  {key: 'p99_ns', title: 'P99', ns: true, more: true},
  {key: 'total_ns', title: 'Total', ns: true, exact: true, more: true},
];

// Of a report of which they are known.
const busyColumns = [
  {key: 'busy_ns', title: 'Busy', ns: true, exact: true},
  {key: 'gap_ns', title: 'Gap', ns: true, exact: true},
];
const columnsOf = (report, all) => [...columns.filter((column) => (all || !column.more) && (column.key !== 'per_replay_ns' || report.rows.some((row) => row.per_replay_ns !== null))), ...report.rows.some((row) => row.busy_ns !== null) ? busyColumns : []];
/// Adds what a row takes of one replay. Once for a report.
function withPerReplay(data, report) {
  if (report.rows.length > 0 && report.rows[0].per_replay_ns === undefined)
    for (const row of report.rows) row.per_replay_ns = report.group_by === 'region' || report.group_by === 'kernel' ? perReplay(data, row) : null;
  return report;
}

/// wordsIn(search)(text): has the text all words of the search? A number is a word by itself: 1 is not in 12.
function wordsIn(search) {
  const tests = search.toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
    const number = /^\d+$/.test(word) ? new RegExp(`(?<!\\d)${word}(?!\\d)`) : null;
    return (text) => number ? number.test(text) : text.includes(word);
  });
  return (text) => {
    const lower = text.toLowerCase();
    return tests.every((test) => test(lower));
  };
}

const table = {
  id: 'table', title: 'Table',
  by: 'region', search: '', sort: null, descending: true, shown: 200, all: false,
  make(section) {
    const data = side(), available = groupings.filter(([by]) => data.reports[by].rows.length > 0);
    if (!available.some(([by]) => by === this.by)) this.by = available[0]?.[0] ?? 'region';
    this.body = h('tbody', {});
    this.headings = h('tr', {});
    this.more = h('div', {class: 'more'});
    this.status = h('span', {class: 'muted', id: 'table-status', 'aria-live': 'polite'});
    put(section, h('div', {class: 'head'}, h('h2', {}, 'Table'), this.status,
      selectOf('Of', available, this.by, (value) => { this.by = value; this.shown = 200; this.fill(); }, 'grouping'),
      h('input', {type: 'search', id: 'table-search', placeholder: 'Search (/)', 'aria-label': 'Search by path, source and kind', value: this.search,
        oninput: ({target}) => { this.search = target.value; this.shown = 200; this.fill(); }}),
      h('button', {type: 'button', id: 'all-columns', 'aria-pressed': `${this.all}`, onclick: ({target}) => { this.all = !this.all; target.setAttribute('aria-pressed', this.all); this.fill(); }}, 'All columns'),
      h('button', {type: 'button', onclick: () => download('graphprof.csv', 'text/csv', this.csv())}, 'Save as CSV')),
    h('div', {class: 'card long'}, h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Table'}, h('table', {id: 'rows'}, h('thead', {}, this.headings), this.body)), this.more));
    this.fill();
  },
  rows() {
    const matches = wordsIn(this.search);
    let rows = withPerReplay(side(), side().reports[this.by]).rows.filter((row) => matches(`${row.path} ${row.source ?? ''} ${row.kind}`));
    if (this.sort) {
      const key = this.sort, sign = this.descending ? -1 : 1;
      rows = rows.map((row, i) => ({row, i})).sort((a, b) => {
        const [x, y] = [a.row[key], b.row[key]];
        if (x === null || y === null) return (x === null) - (y === null) || a.i - b.i; // without a value: last
        return (typeof x === 'string' ? sign * x.localeCompare(y) : sign * (x - y)) || a.i - b.i;
      }).map(({row}) => row);
    }
    return {rows, flat: this.sort !== null || this.search.trim() !== ''};
  },
  fill() {
    const {rows, flat} = this.rows(), report = side().reports[this.by], columns = columnsOf(report, this.all), sorted = (key) => this.sort === key ? (this.descending ? 'descending' : 'ascending') : null;
    const unit = unitOf(rows.map((row) => row.p50_ns ?? row.mean_ns)); // one for the table: a column compares with the next
    const heading = (key, title, left) => h('th', {scope: 'col', class: left ? 'left' : null, 'aria-sort': sorted(key)}, h('button', {type: 'button', 'data-sort': key, onclick: () => this.sortBy(key)}, title));
    this.headings.replaceChildren(heading('path', groupings.find(([by]) => by === this.by)[1], true), ...columns.map((column) => [heading(column.key, column.ns ? `${column.title}, ${unit.name}` : column.title), column.key === 'percent_of_replay' ? h('th', {}, '') : null]).flat().filter(Boolean), h('th', {class: 'left', scope: 'col'}, 'Distribution'));
    const parts = [], cells = columns.length + (columns.some(({key}) => key === 'percent_of_replay') ? 3 : 2);
    let where = 'graph';
    for (const row of rows.slice(0, this.shown)) {
      if (!flat && row.where !== where) {
        where = row.where;
        parts.push(h('tr', {class: 'place'}, h('th', {colspan: cells, scope: 'colgroup'}, where === 'graph' ? 'in graphs' : where)));
      }
      parts.push(this.row(row, flat, columns, unit));
    }
    this.body.replaceChildren(...parts);
    this.status.textContent = rows.length === report.rows.length ? counted(rows.length, 'row', 'rows') : `${formatCount(rows.length)} of ${formatCount(report.rows.length)} rows`;
    const rest = rows.length - this.shown;
    this.more.replaceChildren(...rest > 0 ? [h('button', {type: 'button', onclick: () => { this.shown += 500; this.fill(); }}, `Show ${formatCount(Math.min(500, rest))} more`), h('span', {class: 'muted'}, `${counted(rest, 'row is', 'rows are')} not shown: search, or sort`)] : [],
      ...report.rows_left_out > 0 ? [h('span', {class: 'muted'}, `${counted(report.rows_left_out, 'shorter row is', 'shorter rows are')} not on this page`)] : []);
    if (rows.length === 0) this.body.append(h('tr', {}, h('td', {colspan: cells, class: 'empty'}, 'No row has all these words.')));
  },
  row(row, flat, columns, unit) {
    const name = flat ? row.path : row.name;
    const distribution = row.histogram ? () => showDistribution(this.by, row) : null;
    return h('tr', {'data-path': row.path, 'data-where': row.where},
      h('td', {class: 'name', title: `${row.path}${row.source ? `\n${row.source}` : ''}`, style: flat ? {} : {'padding-left': `${10 + 16 * Math.min(row.depth, 20)}px`}},
        h('button', {type: 'button', onclick: distribution}, row.kind === 'region' || this.by !== 'region' ? null : h('span', {class: 'kind'}, row.kind), name,
          row.cold && flat ? ' (cold)' : null, flat && row.where !== 'graph' && !row.cold ? h('small', {}, ` ${row.where}`) : null),
        row.source && this.by === 'site' ? h('small', {class: 'mono'}, row.source) : null),
      columns.map(({key, text, ns, exact}) => [h('td', {'data-key': key, 'data-value': row[key]}, ns ? inUnit(row[key], unit, exact || !row.rounded) : text(row)), key === 'percent_of_replay' ? shareCell(row[key], row.path === outsideName ? 'outside' : lookOf(row.kind)) : null]),
      h('td', {'aria-hidden': 'true'}, row.histogram ? histogramBars(row.histogram.counts) : ''));
  },
  sortBy(key) {
    // A third click gives the order of the program back.
    const first = key !== 'path';
    if (this.sort !== key) [this.sort, this.descending] = [key, first];
    else if (this.descending === first) this.descending = !first;
    else this.sort = null;
    this.shown = 200;
    this.fill();
    this.headings.querySelector(`[data-sort="${key}"]`).focus();
  },
  csv() {
    const keys = ['path', 'name', 'kind', 'where', 'depth', 'source', 'per_replay_ns', 'count', 'not_measured', 'total_ns', 'mean_ns', 'min_ns', 'p50_ns', 'p95_ns', 'p99_ns', 'max_ns', 'percent_of_replay', 'gigabytes_per_s', 'busy_ns', 'gap_ns', 'gap_cause', 'busy_replays'];
    const cell = (value) => value === null ? '' : /[",\n]/.test(value) ? `"${`${value}`.replaceAll('"', '""')}"` : value;
    return [keys, ...this.rows().rows.map((row) => keys.map((key) => cell(row[key])))].map((cells) => cells.join(',')).join('\n') + '\n';
  },
};
