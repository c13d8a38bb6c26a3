// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// What was lost, what is missing of the files, what ran untimed, and what the program remarked: figures are of the rest.

const losses = {
  id: 'losses', title: 'Losses',
  count: () => allLosses(side()) || null, bad: 'bad',
  make(section) {
    const data = side(), {runs} = data.reports.region, parts = [];
    runs.forEach((run, i) => {
      const {losses: lost, untimed, name} = data.runs[i];
      if (lost.length === 0 && !run.missing && !untimed && run.remarks.length === 0) return;
      parts.push(h('div', {class: 'card'}, h('h3', {}, name), h('p', {class: 'mono muted'}, run.file), h('ul', {class: 'plain'},
        run.missing ? h('li', {class: 'note bad'}, `The file is not whole: ${run.missing}`) : null,
        lost.map((text) => h('li', {class: 'note bad'}, text)), untimed ? h('li', {class: 'note warn'}, untimed) : null,
        run.remarks.map((text) => h('li', {class: 'note warn'}, text)))));
    });
    put(section, h('h2', {}, 'What is missing in the figures'), ...parts.slice(0, 200));
    if (parts.length > 200) put(section, h('p', {class: 'note'}, `and ${formatCount(parts.length - 200)} more processes`));
    if (parts.length === 0) put(section, h('p', {class: 'card empty'}, runs.length === 1 ? 'Nothing was lost: every replay that was recorded is in the figures.' : 'Nothing was lost in any process.'));
  },
};
