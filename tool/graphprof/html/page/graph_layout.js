// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// Where the boxes of a graph's picture are: a region is a box around what is in it, a node comes below those that it waits for. A region may
// be closed; then it is one box. A long chain is broken into columns, so that it has the shape of the screen. Knows no screen otherwise.

const nodeSize = {width: 176, height: 42}, titleHeight = 26, boxGap = {x: 18, y: 20}, padding = 10;

/// A tree of regions and nodes: {number, place, name, kind, parent, inside, after, early, begin, end}; `after`: numbers of the nodes that
/// a node waits for. {root, nodes: by number, hasEdges}. From the graph's nodes if the recording has them, otherwise from a replay.
function graphTree(data, replay) {
  const root = {place: -1, name: '', kind: 'graph', parent: null, inside: [], after: [], isOpen: true}, regions = new Map(), nodes = [];
  const regionOf = (place) => {
    if (place < 0) return root;
    if (!regions.has(place)) {
      const parent = regionOf(data.places[place].parent), made = {place, name: data.places[place].name, kind: data.places[place].kind, parent, inside: [], after: [], isOpen: false};
      regions.set(place, made);
      parent.inside.push(made);
    }
    return regions.get(place);
  };
  const shape = data.graphs.find((one) => one.run === replay.run && one.graph === replay.graph && replay.exec !== 0);
  if (shape) {
    const words = {'host function': 'host', 'child graph': 'graph'};
    shape.nodes.forEach(([kind, name, place, around, after, early], number) => {
      const parent = regionOf(around), word = data.kinds[kind];
      nodes.push({number, place, name: data.names[name] || word, kind: words[word] ?? word, parent, inside: [], after, early});
      parent.inside.push(nodes.at(-1));
    });
    return {root, nodes, hasEdges: true};
  }
  for (let i = 0; i < replay.items.length; i += 4) {
    const place = replay.items[i], {kind, name, parent} = data.places[place], begin = replay.items[i + 1], end = begin + Math.max(0, replay.items[i + 2]);
    if (kind === 'region') {
      const region = regionOf(place);
      region.begin = Math.min(region.begin ?? begin, begin);
      region.end = Math.max(region.end ?? end, end);
    } else {
      const around = regionOf(parent);
      nodes.push({number: nodes.length, place, name, kind, parent: around, inside: [], after: [], early: [], begin, end});
      around.inside.push(nodes.at(-1));
    }
  }
  return {root, nodes, hasEdges: false};
}

/// Opens whole levels of regions, as long as no more than `most` boxes are seen.
function openLevels(root, most) {
  let level = root.inside;
  for (;;) {
    const regions = level.filter((one) => one.inside.length > 0);
    const next = level.flatMap((one) => one.inside.length > 0 ? one.inside : [one]);
    if (regions.length === 0 || next.length > most) return;
    for (const one of regions) one.isOpen = true;
    level = next;
  }
}
/// The box that is seen of a node: its own, or that of the closed region around it.
function seenOf(node) {
  let seen = node;
  for (let one = node.parent; one; one = one.parent) if (!one.isOpen) seen = one;
  return seen;
}

/// By the box that they are inside of: from which of its boxes an edge leads to which, each once.
function edgesInside(nodes) {
  const edges = new Map();
  for (const node of nodes)
    for (const number of node.after) {
      const from = nodes[number];
      if (!from) continue;
      const around = new Map(); // of the one: what of it is in each box around it
      for (let inside = from, box = from.parent; box; inside = box, box = box.parent) around.set(box, inside);
      for (let inside = node, box = node.parent; box; inside = box, box = box.parent)
        if (around.has(box)) {
          if (around.get(box) !== inside) {
            if (!edges.has(box)) edges.set(box, new Map());
            const of = edges.get(box);
            if (!of.has(inside)) of.set(inside, new Set());
            of.get(inside).add(around.get(box));
          }
          break;
        }
    }
  return edges;
}

/// Rows of what is inside a box: each below those that it waits for, or that ended before it began.
function rowsOf(box, waits, hasEdges) {
  const rows = [], rank = new Map();
  let end = -Infinity;
  for (const one of box.inside) { // in the order of the capture, so that what one waits for is known; what leads back is not followed
    let at = 0;
    if (hasEdges) for (const before of waits?.get(one) ?? []) at = Math.max(at, (rank.get(before) ?? -1) + 1);
    else at = one.begin >= end ? rows.length : Math.max(0, rows.length - 1);
    end = Math.max(end, one.end ?? -Infinity);
    rank.set(one, at);
    while (rows.length <= at) rows.push([]);
    rows[at].push(one);
  }
  return rows;
}

/// Gives each box that is seen x, y, width and height; x and y from the box around it. `shape`: width to height that the whole has at best.
function layOutGraph({root, nodes, hasEdges}, shape) {
  const edges = edgesInside(nodes);
  const lay = (box, best) => {
    if (box.inside.length === 0 || !box.isOpen) return Object.assign(box, nodeSize);
    for (const one of box.inside) lay(one, .7);
    const rows = rowsOf(box, edges.get(box), hasEdges).map((list) => ({list, width: list.reduce((sum, one) => sum + one.width + boxGap.x, -boxGap.x), height: Math.max(...list.map((one) => one.height))}));
    const widest = Math.max(...rows.map((row) => row.width)), all = rows.reduce((sum, row) => sum + row.height + boxGap.y, 0);
    const columns = Math.max(1, Math.round(Math.sqrt(best * all / (widest + boxGap.x)))), top = box.parent ? titleHeight : 0, most = all / columns;
    let x = padding, y = top + padding, width = 0, bottom = 0, column = [];
    const end = () => { // a column's rows are in its middle
      for (const row of column) {
        let at = x + (width - row.width) / 2;
        for (const one of row.list) {
          [one.x, one.y] = [at, row.y + (row.height - one.height) / 2];
          at += one.width + boxGap.x;
        }
      }
      x += width + 1.6 * boxGap.x;
      [y, width, column] = [top + padding, 0, []];
    };
    for (const row of rows) {
      if (column.length > 0 && y - top - padding + row.height / 2 > most) end();
      row.y = y;
      column.push(row);
      width = Math.max(width, row.width);
      y += row.height + boxGap.y;
      bottom = Math.max(bottom, y - boxGap.y);
    }
    end();
    return Object.assign(box, {width: Math.max(x - 1.6 * boxGap.x + padding, box.parent ? nodeSize.width : 0), height: bottom + padding});
  };
  lay(root, shape);
  // From the corner of the picture; what is around a box comes before it.
  const seen = [];
  const place = (box, x, y) => {
    [box.left, box.top] = [x, y];
    if (box.parent) seen.push(box);
    if (box.isOpen) for (const one of box.inside) place(one, x + one.x, y + one.y);
  };
  place(root, 0, 0);
  const lines = new Map();
  if (hasEdges)
    for (const node of nodes)
      for (const number of node.after) {
        const from = seenOf(nodes[number]), to = seenOf(node);
        if (from === to) continue;
        const key = `${from.number ?? `r${from.place}`} ${to.number ?? `r${to.place}`}`;
        if (!lines.has(key)) lines.set(key, {from, to, isEarly: node.early.includes(number)});
      }
  return {boxes: seen, lines: [...lines.values()], width: root.width, height: root.height};
}
