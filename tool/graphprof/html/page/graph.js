// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// A graph: a picture of its regions and nodes with their times, and the same as an outline in the order of the capture.

const mostSeenAtFirst = 90;

const graphView = {
  id: 'graph', title: 'Graph',
  chosen: null, search: '',
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
    const name = (key) => { const one = data.replays[graphs.get(key)]; return `${data.runs.length > 1 ? `${shortRun(data, one.run)}: ` : ''}${one.exec === 0 ? 'outside graphs' : one.graph_name}`; };
    const list = h('ul', {class: 'outline', id: 'outline'});
    this.details = h('div', {class: 'card', id: 'graph-details', 'aria-live': 'polite'}, h('p', {class: 'muted'}, 'Click a box to see what is known of it. A click on a region opens or closes it.'));
    put(section, h('div', {class: 'head'}, h('h2', {}, replay.exec === 0 ? 'Regions outside graphs' : 'Regions and nodes of a graph'),
      selectOf('Graph', [...graphs.keys()].map((key) => [key, name(key)]), this.chosen, (value) => { this.chosen = value; remake('graph'); }, 'graph-choice'),
      h('input', {type: 'search', id: 'graph-search', placeholder: 'Find a name', 'aria-label': 'Find a region or node by its name', value: this.search, oninput: ({target}) => this.find(target.value), onkeydown: (event) => { if (event.key === 'Enter') this.next(); }}),
      h('div', {class: 'choice'}, h('button', {type: 'button', onclick: () => this.open(true)}, 'Open all'), h('button', {type: 'button', onclick: () => this.open(false)}, 'Close all')),
      h('div', {class: 'choice'}, h('button', {type: 'button', 'aria-label': 'Zoom in', onclick: () => this.canvas.zoom(1.4)}, '+'), h('button', {type: 'button', 'aria-label': 'Zoom out', onclick: () => this.canvas.zoom(1 / 1.4)}, '−'), h('button', {type: 'button', onclick: () => this.canvas.fit()}, 'All'))),
    this.picture(data, replay), this.details, criticalTable(data, replay),
    h('div', {class: 'card long'}, h('h3', {}, 'In the order of the capture'), list),
    h('p', {class: 'note'}, `${formatCount(tree.count)} regions and nodes. Times of the outline are those of ${replayName(data, replay)}.`));
    this.fill(list, tree.children, replay, data);
    const first = list.querySelector('details');
    if (first) first.open = true;
  },
  /// Boxes with the median of each, whose regions can be opened.
  picture(data, replay) {
    this.graph = graphTree(data, replay);
    openLevels(this.graph.root, mostSeenAtFirst);
    const rows = new Map(data.reports.region.rows.map((row) => [row.path, row])), critical = criticalOf(data, replay), path = (box) => box.place < 0 ? null : data.places[box.place].path;
    const rowOf = (box) => rows.get(path(box)) ?? null, onPath = (box) => isOnPath(critical?.byPath.get(path(box)));
    const all = this.all = [], take = (box) => { for (const one of box.inside) take(one), all.push(one); };
    take(this.graph.root);
    const unit = unitOf(this.graph.nodes.map((node) => rowOf(node)?.p50_ns ?? null)), longest = Math.max(1, ...this.graph.nodes.map((node) => rowOf(node)?.p50_ns ?? 0));
    const time = (box) => { const row = rowOf(box); return row?.p50_ns ?? row?.mean_ns ?? null; };
    Object.assign(this, {rowOf, pathOf: path, criticalRowOf: (box) => critical?.byPath.get(path(box)) ?? null, hits: null});
    this.canvas = new GraphCanvas(`${formatCount(this.graph.nodes.length)} nodes${critical ? `; on the critical path: ${this.graph.nodes.filter(onPath).map((node) => node.name).slice(0, 20).join(', ')}` : ''}. Arrow keys go from box to box, Enter opens a region; + and - zoom, F shows all.`,
      Math.round(Math.min(720, Math.max(340, innerHeight - 260))), {
        look: (box) => lookOf(box.kind), texts: (box) => [box.name, [time(box) === null ? 'not timed' : formatTime(time(box), true, unit), box.inside.length > 0 && !box.isOpen ? `${formatCount(box.inside.length)} inside` : null].filter(Boolean).join(', ')],
        part: (box) => Math.min(1, (time(box) ?? 0) / longest), isCritical: onPath, isLineCritical: ({from, to}) => onPath(from) && onPath(to), isFaint: (box) => this.hits !== null && !this.hits.has(box),
      }, (box) => this.pick(box));
    this.lay();
    const looks = new Set(this.graph.nodes.map((node) => lookOf(node.kind)));
    const legend = [['region', 'region'], ['kernel', 'kernel'], ['copy', 'copy or memset'], ['other', 'other node'], ['critical', 'on the critical path in most replays']].filter(([look]) => look === 'region' ? all.length > this.graph.nodes.length : look === 'critical' ? all.some(onPath) : looks.has(look));
    return h('div', {class: 'card'}, h('div', {class: 'head'}, h('h3', {}, counted(this.graph.nodes.length, 'node', 'nodes')), legendOf(legend)), this.canvas.element,
      h('p', {class: 'note'}, this.graph.hasEdges ? 'Each is below those that it waits for, or in the next column. Times are medians of one execution, and the line in a box compares them. Dashed: it may begin before the other one ends. Drag to move; Ctrl and the wheel, or two fingers, zoom.'
        : sentence('The recording does not hold what waits for what: `GRAPHPROF_NODES=1` records it. Boxes are in the order in which they ran.')));
  },
  lay() { this.canvas.show(layOutGraph(this.graph, this.shape())); },
  /// Of the canvas, or of what it will be.
  shape() { return (this.canvas.width || Math.min(1440, innerWidth - 100)) / (this.canvas.height || 500); },
  open(opens) {
    for (const box of this.all) if (box.inside.length > 0) box.isOpen = opens;
    this.lay();
  },
  pick(box) {
    if (box.inside.length > 0) {
      box.isOpen = !box.isOpen;
      this.lay();
    }
    this.canvas.select(box);
    const row = this.rowOf(box), critical = this.criticalRowOf(box);
    this.details.replaceChildren(h('div', {class: 'head'}, h('h3', {}, box.name), h('span', {class: 'muted'}, box.kind), h('button', {type: 'button', onclick: () => this.canvas.fit(box)}, 'Zoom to it'),
      row?.histogram ? h('button', {type: 'button', onclick: () => showDistribution('region', row)}, 'Its distribution') : null),
    h('div', {class: 'two'}, facts([['Path', h('span', {class: 'mono'}, this.pathOf(box) ?? none)], ['Source', row?.source ? h('span', {class: 'mono'}, row.source) : null], ['Median', row ? formatTime(row.p50_ns, !row.rounded) : 'not timed'], ['P95', row ? formatTime(row.p95_ns, !row.rounded) : null],
      ['Of a replay', row?.percent_of_replay === null ? null : row ? formatPercent(row.percent_of_replay) : null], ['Busy', row ? busyText(row) : null], ['Gap behind it', row ? gapText(row) : null]]),
    critical ? facts([['Of the critical path', formatPercent(critical.percent_of_path)], ['Slack', critical.slack_ns === null ? critical.no_slack : formatTime(critical.slack_ns)], ['Waited for', critical.waited_for]]) : ''));
  },
  find(text) {
    this.search = text;
    const matches = wordsIn(text);
    this.found = text.trim() === '' ? [] : this.all.filter((box) => matches(box.name));
    this.hits = text.trim() === '' ? null : new Set(this.found.flatMap((box) => { const around = []; for (let one = box; one; one = one.parent) around.push(one); return around; }));
    this.at = -1;
    this.canvas.draw();
  },
  /// The next box that was searched; what is around it is opened.
  next() {
    if (this.found.length === 0) return;
    this.at = (this.at + 1) % this.found.length;
    const box = this.found[this.at];
    for (let one = box.parent; one; one = one.parent) one.isOpen = true;
    this.lay();
    this.canvas.select(box, true);
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
    const most = 200, unit = unitOf(nodes.map((node) => node.time));
    for (const node of nodes.slice(from, from + most)) {
      const place = data.places[node.place], time = node.time < 0 ? 'not measured' : formatTime(node.time, true, unit);
      const texts = [h('i', {class: `look-${lookOf(place.kind)}`}), h('span', {class: 'what', title: place.path}, place.kind === 'region' ? null : h('span', {class: 'kind'}, place.kind), place.name,
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
