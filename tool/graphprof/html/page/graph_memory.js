// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// What each graph's capture, instantiation and first launch took of the device's memory.

const graphMemoryOf = (data) => data.reports.region.graph_memory ?? [];

const graphMemoryColumns = [
  ['Execs', (row) => row.execs, formatCount],
  ['Capture', (row) => row.capture_bytes], ['Instantiate', (row) => row.instantiate_bytes], ['First launch', (row) => row.first_launch_bytes],
  ['Total', (row) => row.total_bytes], ['Graph pool', (row) => row.graph_pool_bytes],
  ['Allocated', (row) => row.allocations > 0 ? row.allocated_bytes : null], ['Alloc. nodes', (row) => row.allocation_nodes > 0 ? row.allocation_node_bytes : null],
  ['graphprof', (row) => row.graphprof_bytes],
];

const graphMemoryView = {
  id: 'graph-memory', title: 'Graph memory',
  make(section) {
    const data = side(), rows = graphMemoryOf(data);
    if (rows.length === 0) {
      put(section, h('h2', {}, 'Memory of graphs'), h('p', {class: 'card empty'}, 'These recordings do not say what graphs took. GRAPHPROF_GRAPH_MEMORY=1 measures it.'));
      return;
    }
    const sum = (of) => rows.reduce((all, row) => all + (row[of] ?? 0), 0), most = Math.max(...rows.map((row) => row.total_bytes), 1);
    const several = data.runs.length > 1, devices = new Set(rows.map((row) => row.device)).size > 1;
    const nameOf = (row) => [row.graph !== null ? `graph ${row.graph}` : row.captures > 0 ? 'captured, no exec' : 'no graph', devices ? `cuda:${row.device}` : null, several ? shortRun(data, row.run) : null].filter(Boolean).join(', ');
    const cell = ([, valueOf, format], row) => {
      const value = valueOf(row);
      return h('td', {'data-value': value}, value === null ? none : (format ?? formatBytes)(value));
    };
    put(section, h('h2', {}, 'Memory of graphs'),
      h('p', {id: 'graph-memory-sum'}, `Graphs took ${formatBytes(sum('total_bytes'))} of the device's memory: ${formatBytes(sum('capture_bytes'))} in captures, ${formatBytes(sum('instantiate_bytes'))} when they were instantiated, ${formatBytes(sum('first_launch_bytes'))} at their first launches. graphprof took ${formatBytes(sum('graphprof_bytes'))} besides.`),
      h('div', {class: 'card long'}, h('div', {class: 'wide'}, h('table', {id: 'graph-memory-rows'},
        h('thead', {}, h('tr', {}, h('th', {scope: 'col', class: 'left'}, 'Graph'), h('th', {class: 'bar'}, ''), graphMemoryColumns.map(([title]) => h('th', {scope: 'col'}, title)))),
        h('tbody', {}, [...rows].sort((a, b) => b.total_bytes - a.total_bytes).map((row) => h('tr', {}, h('td', {class: 'left'}, nameOf(row)), shareCell(100 * Math.max(row.total_bytes, 0) / most, 'other'), graphMemoryColumns.map((column) => cell(column, row)))))))),
      ...[
        sum('graph_pool_bytes') > 0 ? 'The graph pool is shared: each byte of it is in the row of the graph that made it grow.' : null,
        rows.some((row) => row.overlaps) ? 'Some of it was measured while another thread captured, instantiated or launched, too: which of the two rows took it is not certain.' : null,
        data.left_out.graph_memory > 0 ? `${counted(data.left_out.graph_memory, 'graph', 'graphs')} not on the page: those that took least.` : null,
      ].filter(Boolean).map((text) => h('p', {class: 'note'}, text)));
  },
};
