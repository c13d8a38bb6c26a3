// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// Where the time of a replay goes: regions and nodes in the mean of all replays, each as wide as its time, below the region around it. A
// click on a region makes it as wide as the picture. What is too narrow to be seen shares a box, so there are a few hundred at most.

const leastPercent = .4, leastNamed = 3.2, leastTimed = 9, mostLevels = 14, mostBeside = 24;

/// Regions and nodes of a graph's replays as a tree: {row, name, kind, ns, inside}. `row`: of the replays.
function replayTree(data, row) {
  const paths = graphRows(data).length > 1 ? pathsByGraph(data).get(row.path) ?? new Set() : null, length = row.mean_ns;
  const root = {row: null, name: row.name, kind: 'graph', ns: length, inside: []}, around = [root];
  let outside = null;
  for (const one of data.reports.region.rows) {
    if (one.percent_of_replay === null || (one.where !== 'graph' && !one.cold) || (paths && !paths.has(one.path))) continue;
    const made = {row: one, name: one.name, kind: one.kind, ns: one.percent_of_replay / 100 * length, inside: []};
    if (one.path === outsideName) outside = {...made, row: null, kind: 'outside'};
    else {
      around.length = Math.min(around.length, one.depth + 1);
      around.at(-1).inside.push(made);
      around.push(made);
    }
  }
  const sum = root.inside.reduce((ns, one) => ns + one.ns, 0);
  if (paths && sum < .99995 * length) outside = {row: null, name: outsideName, kind: 'outside', ns: length - sum, inside: []};
  if (outside) root.inside.push(outside);
  return root;
}

/// Where many are inside one box, adds up those that differ in numbers only, as the terminal's table does: "layer {} ×32".
function foldMany(node) {
  if (node.inside.length > mostBeside) {
    const groups = new Map();
    for (const one of node.inside) {
      const key = `${one.kind} ${withoutNumbers(one.name)}`;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(one);
    }
    node.inside = [...groups.values()].map((all) => all.length === 1 ? all[0] : {row: null, name: `${withoutNumbers(all[0].name)} ×${formatCount(all.length)}`, kind: all[0].kind, ns: all.reduce((ns, one) => ns + one.ns, 0), inside: all.flatMap((one) => one.inside)});
  }
  for (const one of node.inside) foldMany(one);
  return node;
}

/// The boxes of what is inside `of`: [{level, left, width, node, many}], in percent of `of`. Those side by side, together longer than
/// what is around them, are drawn narrower.
function boxesOf(of) {
  const boxes = [];
  const add = (node, level, left, width) => {
    if (level === mostLevels) return;
    const sum = node.inside.reduce((ns, one) => ns + one.ns, 0), scale = width / Math.max(node.ns, sum, 1e-9);
    let narrow = null;
    for (const one of node.inside) {
      const wide = one.ns * scale;
      if (wide < leastPercent) {
        if (!narrow) boxes.push(narrow = {level, left, width: 0, node: one, many: 0});
        narrow.width += wide;
        ++narrow.many;
      } else {
        narrow = null;
        boxes.push({level, left, width: wide, node: one, many: 1});
        add(one, level + 1, left, wide);
      }
      left += wide;
    }
  };
  add(of, 0, 0, 100);
  return boxes.filter((box) => box.width >= leastPercent / 4);
}

/// An element with the picture. `length`: of a replay, in ns; shares are of that.
function replayMap(data, row, unit) {
  const root = foldMany(replayTree(data, row)), card = h('div', {class: 'card', id: 'replay-map'}), trail = [root];
  const draw = () => {
    const of = trail.at(-1), boxes = boxesOf(of), levels = Math.max(1, ...boxes.map((box) => box.level + 1));
    const text = (node) => `${formatTime(node.ns, true, unit)}, ${formatPercent(100 * node.ns / root.ns)}`;
    const box = ({level, left, width, node, many}) => {
      const goes = many === 1 && (node.inside.length > 0 || node.row !== null);
      return h(goes ? 'button' : 'div', {type: goes ? 'button' : null, class: `box look-${node.kind === 'outside' || many > 1 ? 'outside' : lookOf(node.kind)}`, 'data-path': node.row?.path,
        title: many > 1 ? `${formatCount(many)} short ones` : `${node.row?.path ?? node.name}\n${text(node)} of a replay`,
        style: {left: `${left}%`, width: `${width}%`, top: `${26 * level}px`}, onclick: goes ? () => {
          if (node.inside.length === 0) return showDistribution('region', node.row);
          trail.push(node);
          draw();
        } : null}, many > 1 || width < leastNamed ? '' : [h('span', {}, node.name), width < leastTimed ? null : h('small', {}, width < 1.6 * leastTimed ? formatTime(node.ns, true, unit) : text(node))]);
    };
    const looks = [['region', 'region'], ['kernel', 'kernel'], ['copy', 'copy or memset'], ['outside', 'outside all regions, or too short to be drawn']].filter(([look]) => look === 'outside' ? boxes.some((one) => one.many > 1 || one.node.kind === 'outside') : boxes.some((one) => lookOf(one.node.kind) === look));
    card.replaceChildren(h('div', {class: 'head'}, h('h3', {}, 'Where the time of a replay goes'), legendOf(looks)),
      h('nav', {class: 'trail', 'aria-label': 'Regions around'}, trail.map((node, i) => [i > 0 ? ' › ' : '', i + 1 < trail.length ? h('button', {type: 'button', onclick: () => { trail.length = i + 1; draw(); }}, i === 0 ? 'whole replay' : node.name)
        : h('b', {}, i === 0 ? 'whole replay' : node.name, ' ', h('span', {class: 'muted'}, i === 0 ? formatTime(node.ns, true, unit) : text(node)))])),
      h('div', {class: 'map', style: {height: `${26 * levels}px`}}, boxes.map(box)),
      boxes.length === 0 ? h('p', {class: 'note'}, 'No region or node of it was measured.') : h('p', {class: 'note'}, 'The mean of all replays, each inside what is around it. Where there are many, those that differ in numbers only are added up. Click a region to see what is in it.'));
  };
  draw();
  return card;
}
