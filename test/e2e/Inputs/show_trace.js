// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Opens traces with docs/trace-viewer.html, without a browser, and says what it shows:
//
//     node show_trace.js trace-viewer.html TRACE...
//
// The page's own script runs; what it asks of a browser is stood in for by as little as it needs.
'use strict';

const fs = require('fs'), path = require('path'), vm = require('vm');

const painted = new Set(); // texts
const context2d = new Proxy({fillText: (text) => painted.add(String(text)), measureText: (text) => ({width: 6 * text.length})},
                            {get: (own, name) => own[name] ?? (() => {}), set: () => true});
const elements = new Map();
const elementOf = (id) => {
  if (!elements.has(id))
    elements.set(id, {id, textContent: '', value: '', style: {}, clientWidth: 1600, clientHeight: 800, files: [], handlers: {},
                      getContext: () => context2d, addEventListener(name, handler) { this.handlers[name] = handler; },
                      append() {}, replaceChildren() {}, insertRow: () => elementOf('row'), insertCell: () => elementOf('cell')});
  return elements.get(id);
};
const browser = vm.createContext({
  Blob, DecompressionStream, Response, URLSearchParams, console, location: {search: ''},
  document: {getElementById: elementOf, createElement: elementOf, addEventListener() {}},
  window: {devicePixelRatio: 1, addEventListener() {}},
});

const [page, ...traces] = process.argv.slice(2);
vm.runInContext(/<script>(.*)<\/script>/s.exec(fs.readFileSync(page, 'utf8'))[1], browser, {filename: page});
const of = (expression) => vm.runInContext(expression, browser);

async function show(trace) {
  const name = path.basename(trace);
  of('processes = []; flows = []');
  painted.clear();
  await of('open')(new Blob([fs.readFileSync(trace)]), name);
  console.log(`title: ${elementOf('title').textContent}`);
  for (const process of of('processes')) {
    console.log(`process: ${process.name}`);
    for (const row of process.rows)
      console.log(`  row: ${row.name}: ${row.bars.map((bar) => `${bar.event.name}@${bar.lane}`).join(' ')}`);
    for (const counter of process.counters)
      console.log(`  counter: ${counter.name}: ${counter.points.length} points, at most ${counter.most}`);
  }
  for (const flow of of('flows'))
    console.log(`arrow: ${flow.start.row.name} -> ${flow.stop.row.name}`);
  painted.clear();
  of('for (const bar of allBars().filter((bar) => bar.event.name === "mlp")) view(bar.ts, bar.end)'); // up close
  console.log(`painted: ${[...painted].includes('mlp') ? 'mlp' : 'no mlp'}`);
  elementOf('search').value = 'layer';
  elementOf('search').handlers.input();
  console.log(`found: ${elementOf('found').textContent}`);
  elementOf('search').value = '';
}

traces.reduce((before, trace) => before.then(() => show(trace)), Promise.resolve());
