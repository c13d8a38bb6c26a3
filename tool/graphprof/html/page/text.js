// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// Numbers as graphprof's tables print them, and elements.

const none = '--';

// Never smaller than a microsecond: three digits behind the point are whole nanoseconds, which is what is recorded.
const units = [['µs', 1e3], ['ms', 1e6], ['s', 1e9]].map(([name, ns]) => ({name, ns}));
const unitFor = (ns) => units.findLast((unit) => Math.abs(ns) >= unit.ns) ?? units[0];
/// The one unit of a column, a list or an axis: that of the typical one of these times, so that a row can be compared with the next.
function unitOf(times) {
  const known = times.filter((ns) => ns > 0).sort((a, b) => a - b);
  return unitFor(known[known.length >> 1] ?? 0);
}
const isTime = (ns) => ns !== null && ns !== undefined && ns >= 0;
/// The number only: its column says the unit.
const inUnit = (ns, unit, exact = true) => !isTime(ns) ? none : exact ? (ns / unit.ns).toFixed(3) : (ns / unit.ns).toFixed(3).replace(/\.?0+$/, '');
const formatTime = (ns, exact = true, unit = unitFor(ns ?? 0)) => isTime(ns) ? `${inUnit(ns, unit, exact)} ${unit.name}` : none;
/// A moment, which may lie before the one from which times count.
const formatMoment = (ns) => ns < 0 ? `-${formatTime(-ns)}` : formatTime(ns);
/// On an axis up to `most`, where digits that say nothing are noise; with the unit in the axis' name: axisUnit.
const axisUnit = (most) => most > 0 && most < 1e3 ? {name: 'ns', ns: 1} : unitFor(most);
const axisNumber = (unit) => (ns) => `${Number((ns / unit.ns).toPrecision(7))}`;
function formatBytes(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0, amount = bytes;
  for (; Math.abs(amount) >= 1024 && unit + 1 < units.length; ++unit) amount /= 1024;
  return unit === 0 ? `${bytes} B` : `${amount.toFixed(2)} ${units[unit]}`;
}
const formatPercent = (percent) => percent === null || percent === undefined ? none : `${percent.toFixed(2)}%`;
const formatCount = (count) => count.toLocaleString('en-US');
const formatRatio = (ratio) => `${ratio >= 1 ? '+' : ''}${(100 * (ratio - 1)).toFixed(2)}%`;
/// How long the kernels of a row were busy, and the gap behind them; null: not known.
const busyText = (row) => row.busy_ns === null ? null : `${formatTime(row.busy_ns)}, of ${counted(row.busy_replays, 'replay', 'replays')}`;
const gapText = (row) => row.gap_ns === null ? row.gap_cause ? `not measured (${row.gap_cause.replaceAll('_', ' ')})` : null
  : `${formatTime(row.gap_ns)}${row.gap_cause ? ` (${row.gap_cause.replaceAll('_', ' ')})` : ''}`;
const counted = (count, one, many) => `${formatCount(count)} ${count === 1 ? one : many}`;

/// What names have in common that differ in numbers only.
const withoutNumbers = (name) => name.replace(/ #\d+$/, '').replace(/\d+/g, '{}');

/// What is drawn of a histogram beside its row: bars of 16 parts at most.
function histogramBars(counts, most = 16) {
  const wide = Math.ceil(counts.length / most), sums = [];
  for (let i = 0; i < counts.length; i += wide) sums.push(counts.slice(i, i + wide).reduce((sum, one) => sum + one, 0));
  const top = Math.max(...sums, 1), path = sums.map((sum, i) => sum === 0 ? '' : `M${5 * i} 20v${-Math.max(1, Math.round(20 * sum / top))}h4V20z`).join('');
  return svg('svg', {class: 'histogram', viewBox: `0 0 ${5 * sums.length} 20`, width: 5 * sums.length, height: 20, 'aria-hidden': 'true'}, svg('path', {d: path}));
}

/// h('td', {class: 'name', onclick: f}, 'text', element): an element. Texts are texts, never markup.
const h = (tag, attributes = {}, ...children) => dress(document.createElement(tag), attributes, children);
/// The same of a drawing.
const svg = (tag, attributes = {}, ...children) => dress(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
function dress(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (name === 'style') for (const [key, of] of Object.entries(value)) made.style.setProperty(key, of);
    else made.setAttribute(name, value === true ? '' : value);
  }
  return put(made, ...children);
}
/// Appends what is not null or false.
function put(to, ...children) {
  to.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return to;
}
function facts(pairs) {
  return h('dl', {class: 'facts'}, pairs.filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}
/// A cell with a bar beside a figure, never below its digits.
const shareCell = (percent, look) => h('td', {class: 'bar', 'aria-hidden': 'true'}, h('i', {class: `look-${look}`, style: {'--share': `${Math.max(0, Math.min(100, percent ?? 0))}%`}}));
/// A sentence in which `...` is a command.
const sentence = (text) => text.split('`').map((part, i) => i % 2 === 1 ? h('code', {}, part) : part);
function selectOf(label, options, chosen, onchange, id) {
  const select = h('select', {id, onchange: () => onchange(select.value)},
    options.map(([value, text]) => h('option', {value, selected: `${value}` === `${chosen}`}, text)));
  return h('label', {}, label, select);
}
function choiceOf(label, options, chosen, onchange) {
  const buttons = options.map(([value, text]) => h('button', {type: 'button', 'aria-pressed': value === chosen, 'data-value': value,
    onclick: () => {
      for (const button of buttons) button.setAttribute('aria-pressed', button.dataset.value === value);
      onchange(value);
    }}, text));
  for (const button of buttons) button.setAttribute('aria-pressed', button.dataset.value === chosen);
  return h('div', {class: 'choice', role: 'group', 'aria-label': label}, buttons);
}
function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], {type}));
  const link = h('a', {href: url, download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
