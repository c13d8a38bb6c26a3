// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// The views behind their tabs, keys, light and dark, printing. A view is made when it is first shown, and again when something changes
// that it shows: view.make(section) fills it, view.count() is a number on its tab.

const views = [page.comparison ? compareView : null, overview, timeline, graphView, table, distribution, overTime, page.sides.some((one) => one.data.memory.length > 0) ? memoryView : null, page.sides.some((one) => graphMemoryOf(one.data).length > 0) ? graphMemoryView : null, processes, losses].filter(Boolean);
const keys = [
  ['1 … 9', 'the views, in their order'], ['[ and ]', 'the view before and behind'], ['/', 'search'], ['t', 'light or dark'], ['b', 'before or after, if there are two sides'], ['?', 'this help'],
  ['In the timeline', ''], ['W S, + −', 'zoom (or Ctrl and the wheel)'], ['A D', 'move (or drag)'], ['← → ↑ ↓', 'from bar to bar'], ['Enter', 'zoom to the bar; in the search: the next one found'], ['F', 'everything'],
];
const element = (id) => document.getElementById(id);
const made = new Map(); // sections, by the view's id
let current = null;

function sectionOf(view) {
  let section = made.get(view.id);
  if (!section) {
    section = h('section', {class: 'view', id: `view-${view.id}`, role: 'tabpanel', 'aria-labelledby': `tab-${view.id}`, hidden: true});
    made.set(view.id, section);
    element('views').append(section);
  }
  return section;
}
function fill(view) {
  const section = sectionOf(view);
  if (section.dataset.made) return;
  section.dataset.made = 'yes';
  view.make(section);
  beginCharts(section);
}
function forget(view) {
  const section = made.get(view.id);
  if (!section) return;
  endCharts(section);
  section.replaceChildren();
  delete section.dataset.made;
}
/// Makes a view again, where it may have been made with something else.
function remake(id) {
  const view = views.find((one) => one.id === id), focused = document.activeElement?.id;
  forget(view);
  if (current === view) fill(view);
  if (focused) element(focused)?.focus();
}
function show(id, again = false) {
  const view = views.find((one) => one.id === id) ?? views[0];
  if (again) forget(view);
  current = view;
  for (const one of views) {
    const selected = one === view, tab = element(`tab-${one.id}`);
    tab.setAttribute('aria-selected', selected);
    tab.tabIndex = selected ? 0 : -1;
    sectionOf(one).hidden = !selected;
  }
  fill(view);
  resizeCharts();
  if (location.hash !== `#${view.id}`) history.replaceState(null, '', `#${view.id}`);
  element(`tab-${view.id}`).scrollIntoView({block: 'nearest', inline: 'nearest'});
}
function showNext(step) {
  const at = (views.indexOf(current) + step + views.length) % views.length;
  show(views[at].id);
  element(`tab-${views[at].id}`).focus();
}

function makeTabs() {
  element('tabs').replaceChildren(...views.map((view) => {
    const count = view.count?.();
    return h('button', {type: 'button', role: 'tab', id: `tab-${view.id}`, 'aria-controls': `view-${view.id}`, 'aria-selected': 'false', tabindex: '-1', onclick: () => show(view.id)},
      view.title, count ? h('span', {class: `count${view.bad ? ` ${view.bad}` : ''}`}, formatCount(count)) : null);
  }));
}
function makeBanner() {
  const devices = madeUpDevices();
  element('banner').hidden = devices.length === 0;
  element('banner').textContent = `Times are made up: ${devices.join(', ')} is no GPU. They show what the page looks like, not how fast anything is.`;
}
function makeSides() {
  if (page.sides.length < 2) return;
  const box = element('sides');
  box.hidden = false;
  box.replaceChildren(...page.sides.map((one, i) => h('button', {type: 'button', 'aria-pressed': `${i === state.side}`, 'data-side': one.name, onclick: () => setSide(i)}, one.name === 'before' ? 'Before' : 'After')));
}
function setSide(i) {
  state.side = i;
  timeline.chosen = null;
  memoryView.chosen = null;
  makeSides();
  makeTabs();
  for (const view of views) forget(view);
  show(current.id);
}

// Stored, where the browser lets a file do so.
function stored(value) {
  try {
    if (value !== undefined) localStorage.setItem('graphprof-theme', value);
    return localStorage.getItem('graphprof-theme');
  } catch {
    return null;
  }
}
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
function setDark(dark, remember = false) {
  if (remember) stored(dark ? 'dark' : 'light');
  state.dark = dark;
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  element('theme').textContent = dark ? 'Light' : 'Dark';
  element('theme').setAttribute('aria-label', `Show in ${dark ? 'light' : 'dark'} colours`);
  forgetColors();
  for (const view of views) forget(view); // charts have colours of their own
  if (current) fill(current);
}
prefersDark.addEventListener('change', ({matches}) => { if (stored() === null) setDark(matches); });
element('theme').addEventListener('click', () => setDark(!state.dark, true));

function showHelp() {
  const dialog = element('help');
  dialog.replaceChildren(h('h2', {id: 'help-title'}, 'Keys'), h('table', {}, h('tbody', {}, keys.map(([key, text]) => text === '' ? h('tr', {class: 'place'}, h('th', {colspan: '2', scope: 'rowgroup'}, key)) : h('tr', {}, h('td', {}, key.split(' ').map((one) => /^[…,]|^and$|^In$/.test(one) ? ` ${one} ` : h('kbd', {}, one.replace(/,$/, '')))), h('td', {}, text))))),
    h('p', {class: 'note'}, 'Figures are those of graphprof report and graphprof diff. Cold replays, in which some code ran for the first time, are left out of them.'),
    h('p', {style: {'text-align': 'right', 'margin-top': '12px'}}, h('button', {type: 'button', onclick: () => dialog.close()}, 'Close')));
  dialog.showModal();
}
element('help-button').addEventListener('click', showHelp);

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || element('help').open) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.target.closest?.('[role="tablist"]') && (event.key === 'ArrowRight' || event.key === 'ArrowLeft' || event.key === 'Home' || event.key === 'End')) {
    event.preventDefault();
    if (event.key === 'Home' || event.key === 'End') {
      current = views[event.key === 'Home' ? views.length - 1 : 0];
      showNext(event.key === 'Home' ? 1 : -1);
    } else showNext(event.key === 'ArrowRight' ? 1 : -1);
    return;
  }
  if (typing) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const actions = {
    '?': showHelp, t: () => setDark(!state.dark, true), '[': () => showNext(-1), ']': () => showNext(1),
    b: () => page.sides.length > 1 && setSide(1 - state.side),
    '/': () => {
      let input = made.get(current.id).querySelector('input[type="search"]');
      if (!input) {
        show('table');
        input = element('table-search');
      }
      input.focus();
      input.select();
    },
  };
  const number = Number(event.key);
  const action = number >= 1 && number <= views.length ? () => show(views[number - 1].id) : actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
addEventListener('hashchange', () => show(location.hash.slice(1)));

// Paper shows every view, in light colours.
let before = null;
addEventListener('beforeprint', () => {
  before = state.dark;
  if (state.dark) setDark(false);
  for (const view of views) {
    sectionOf(view).hidden = false;
    fill(view);
  }
  for (const {chart, box} of charts) chart.resize({width: Math.min(box.offsetWidth, 700)});
  timeline.redraw();
  graphView.canvas?.resize();
  for (const {chart} of charts) chart.getZr().flush();
});
addEventListener('afterprint', () => {
  show(current.id);
  if (before) setDark(true);
});

setDark((stored() ?? (prefersDark.matches ? 'dark' : 'light')) === 'dark');
makeTabs();
makeBanner();
makeSides();
for (const view of views) sectionOf(view);
show(location.hash.slice(1));
