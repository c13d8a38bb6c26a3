// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// Numbers as graphprof's tables print them, and elements.

const none = '--';

function formatTime(ns, exact = true) {
  if (ns === null || ns === undefined || ns < 0) return none;
  const [unit, of] = ns >= 1e9 ? ['s', 1e9] : ns >= 1e6 ? ['ms', 1e6] : ['us', 1e3];
  let number = (ns / of).toFixed(3);
  if (!exact) number = number.replace(/\.?0+$/, '');
  return number + unit;
}
/// A moment, which may lie before the one from which times count.
const formatMoment = (ns) => ns < 0 ? `-${formatTime(-ns)}` : formatTime(ns);
/// On an axis, where digits that say nothing are noise.
function axisTime(ns) {
  const size = Math.abs(ns);
  const [unit, of] = size >= 1e9 ? ['s', 1e9] : size >= 1e6 ? ['ms', 1e6] : size >= 1e3 ? ['us', 1e3] : ['ns', 1];
  return `${Number((ns / of).toPrecision(5))}${unit}`;
}
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

/// Bars of text, as `graphprof report` draws them.
function textBars(counts, most = 20) {
  const wide = Math.ceil(counts.length / most), sums = [];
  for (let i = 0; i < counts.length; i += wide) sums.push(counts.slice(i, i + wide).reduce((sum, one) => sum + one, 0));
  const top = Math.max(...sums, 1);
  return sums.map((sum) => sum === 0 ? ' ' : '▁▂▃▄▅▆▇█'[Math.min(7, Math.floor(8 * sum / top - 1e-9))]).join('');
}

/// h('td', {class: 'name', onclick: f}, 'text', element): an element. Texts are texts, never markup.
function h(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
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
