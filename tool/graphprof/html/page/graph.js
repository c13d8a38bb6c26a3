// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// A graph: its regions and nodes, each inside what is around it, in the order of the capture.

const graphView = {
  id: 'graph', title: 'Graph',
  chosen: null,
  make(section) {
    const data = side(), graphs = new Map(); // the best replay of each: a warm one
    data.replays.forEach((replay, i) => {
      const key = `${replay.run}/${replay.graph}`, known = graphs.get(key);
      if (known === undefined || (data.replays[known].cold && !replay.cold) || (replay.why === 'fastest' && !replay.cold)) graphs.set(key, i);
    });
    if (graphs.size === 0) {
      put(section, h('h2', {}, 'Graph'), h('p', {class: 'card empty'}, 'No graph is kept here.'));
      return;
    }
    if (!graphs.has(this.chosen)) this.chosen = [...graphs.keys()][0];
    const replay = data.replays[graphs.get(this.chosen)], tree = this.tree(data, replay);
    const name = (key) => { const one = data.replays[graphs.get(key)]; return `${data.runs.length > 1 ? `${shortRun(data, one.run)}: ` : ''}${one.exec === 0 ? 'outside graphs' : `graph ${one.graph}`}`; };
    const list = h('ul', {class: 'outline', id: 'outline'});
    put(section, h('div', {class: 'head'}, h('h2', {}, replay.exec === 0 ? 'Regions outside graphs' : 'Regions and nodes of a graph'),
      selectOf('Graph', [...graphs.keys()].map((key) => [key, name(key)]), this.chosen, (value) => { this.chosen = value; remake('graph'); }, 'graph-choice'),
      h('div', {class: 'choice'}, h('button', {type: 'button', onclick: () => { for (const one of [...list.querySelectorAll('details')].slice(0, 300)) one.open = true; }}, 'Open all'),
        h('button', {type: 'button', onclick: () => { for (const one of list.querySelectorAll('details')) one.open = false; }}, 'Close all'))),
    this.picture(data, replay), this.criticalTable(data, replay),
    h('div', {class: 'card long'}, list),
    h('p', {class: 'note'}, `${formatCount(tree.count)} regions and nodes, in the order in which they were captured. Times are those of ${replayName(data, replay)}.`));
    this.fill(list, tree.children, replay, data);
    const first = list.querySelector('details');
    if (first) first.open = true;
  },
  tree(data, replay) {
    const root = {children: [], count: replay.items.length / 4}, last = new Map();
    for (let i = 0; i < replay.items.length; i += 4) {
      const place = replay.items[i], around = last.get(data.places[place].parent) ?? root, node = {place, number: i / 4, time: replay.items[i + 2], children: []};
      around.children.push(node);
      last.set(place, node);
    }
    return root;
  },
  fill(list, nodes, replay, data, from = 0) {
    const most = 200;
    for (const node of nodes.slice(from, from + most)) {
      const place = data.places[node.place], time = node.time < 0 ? 'not measured' : formatTime(node.time);
      const texts = [h('i', {style: {background: colorOf(place.kind, place.name)}}), h('span', {class: 'what', title: place.path}, place.kind === 'region' ? null : h('span', {class: 'kind'}, place.kind), place.name,
        node.children.length > 0 ? h('span', {class: 'muted'}, `  ${formatCount(node.children.length)} inside`) : null), h('span', {class: 'time'}, time)];
      if (node.children.length === 0) {
        list.append(h('li', {}, h('div', {class: 'leaf'}, texts)));
        continue;
      }
      const inside = h('ul', {}), details = h('details', {ontoggle: () => { if (details.open && inside.childElementCount === 0) this.fill(inside, node.children, replay, data); }}, h('summary', {}, texts), inside);
      list.append(h('li', {}, details));
    }
    if (nodes.length > from + most) {
      const more = h('li', {}, h('button', {type: 'button', onclick: () => { more.remove(); this.fill(list, nodes, replay, data, from + most); }}, `Show ${formatCount(Math.min(most, nodes.length - from - most))} more of ${formatCount(nodes.length - from - most)}`));
      list.append(more);
    }
  },
};
