// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// What was allocated when, by kind, and the largest blocks at the peak.

const memoryMeanings = {
  device: 'cudaMalloc, cuMemCreate', pool: 'cudaMallocAsync, from a pool', managed: 'cudaMallocManaged', host: 'cudaMallocHost, cudaHostAlloc', graph: 'in graphs',
};
const memoryShades = ['device', 'host', 'pool', 'graph', 'managed']; // the common ones far from each other

const memoryView = {
  id: 'memory', title: 'Memory',
  chosen: null,
  make(section) {
    const data = side(), list = data.memory;
    if (list.length === 0) {
      put(section, h('h2', {}, 'Memory'), h('p', {class: 'card empty'}, 'These recordings hold no memory. GRAPHPROF_MEMORY=1 records it.'));
      return;
    }
    if (this.chosen === null || this.chosen >= list.length) this.chosen = Math.max(0, list.findIndex((one) => one.device >= 0)); // as torch.profiler does
    const one = list[this.chosen], peak = one.peak.slice(1), end = one.states.at(-1).slice(1);
    const nameOf = ({run, device}) => `${data.runs.length > 1 ? `${shortRun(data, run)}: ` : ''}${device < 0 ? 'pinned memory of the host' : `cuda:${device}`}`;
    const row = (kind, i) => h('tr', {'data-kind': kind}, h('td', {class: 'left'}, h('span', {class: 'swatch', style: {background: this.color(kind)}}), kind), h('td', {class: 'left muted'}, memoryMeanings[kind]),
      h('td', {'data-value': peak[i]}, formatBytes(peak[i])), h('td', {'data-value': end[i]}, formatBytes(end[i])));
    put(section, h('div', {class: 'head'}, h('h2', {}, 'Memory'),
      list.length > 1 ? selectOf('Of', list.map((of, i) => [i, nameOf(of)]), this.chosen, (value) => { this.chosen = Number(value); remake('memory'); }, 'memory-of') : h('span', {class: 'muted'}, nameOf(one))),
    h('p', {id: 'memory-peak'}, `At most ${formatBytes(one.peak_bytes)} (${formatCount(one.peak_bytes)} bytes), ${formatTime(one.peak[0])} after the process began. ${counted(one.events, 'allocation or free', 'allocations and frees')}.`),
    h('div', {class: 'card'}, h('h3', {}, 'What was allocated when'), this.chart(one, this.untilOf(data, one))),
    h('div', {class: 'card long'}, h('h3', {}, 'By kind'), h('table', {id: 'memory-kinds'},
      h('thead', {}, h('tr', {}, ['Kind', 'Allocated by'].map((text) => h('th', {class: 'left', scope: 'col'}, text)), ['At the peak', 'At the end'].map((text) => h('th', {scope: 'col'}, text)))),
      h('tbody', {}, one.kinds.map(row)))),
    this.blocks(one.blocks));
  },
  color: (kind) => shadeOf(memoryShades.indexOf(kind), memoryShades.length),
  blocks(blocks) {
    if (blocks === null) return h('p', {class: 'card note'}, 'There are too many blocks to follow each to the peak.');
    const rest = [
      blocks.more > 0 ? `${counted(blocks.more, 'smaller block', 'smaller blocks')}: ${formatBytes(blocks.more_bytes)}.` : null,
      blocks.unseen_bytes > 0 ? `${formatBytes(blocks.unseen_bytes)} in blocks whose allocation is not in the recording: they are from before it, or were left out.` : null].filter(Boolean);
    const atUnit = unitOf(blocks.largest.map((block) => block.at_ns));
    return h('div', {class: 'card long'}, h('h3', {}, 'The largest blocks at the peak'), h('div', {class: 'wide'}, h('table', {id: 'memory-blocks'},
      h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Size'), ['Kind', 'Allocated in', 'Step', `At, ${atUnit.name}`, 'Address'].map((text) => h('th', {class: 'left', scope: 'col'}, text)))),
      h('tbody', {}, blocks.largest.map((block) => h('tr', {}, h('td', {'data-value': block.bytes}, formatBytes(block.bytes)), h('td', {class: 'left'}, block.kind), h('td', {class: 'left'}, block.path || 'no region'),
        h('td', {class: 'left'}, block.step < 0 ? none : `${block.step}`), h('td', {class: 'left'}, inUnit(block.at_ns, atUnit)), h('td', {class: 'left mono'}, block.address))),
        blocks.largest.length === 0 ? h('tr', {}, h('td', {colspan: 6, class: 'empty'}, 'None of them was allocated in the recording.')) : null))),
      rest.map((text) => h('p', {class: 'note'}, text)));
  },
  /// Until when it was as it was last: as long as anything is known of the process.
  untilOf: (data, {run}) => Math.max(...data.memory.filter((one) => one.run === run).map((one) => one.states.at(-1)[0]),
    ...data.replays.filter((replay) => replay.run === run).map((replay) => replay.at_ns + (replay.span_ns ?? 0))),
  /// Areas on top of each other: each is drawn down to nothing, the highest first.
  chart({kinds, states: known, peak, peak_bytes: most, per_bin: perBin}, until) {
    const states = [...known, [until, ...known.at(-1).slice(1)]];
    const up = (state, i) => state.slice(1, i + 2).reduce((sum, bytes) => sum + bytes, 0);
    const series = kinds.map((kind, i) => ({
      type: 'line', name: kind, step: 'end', symbol: 'none', silent: true, color: this.color(kind), lineStyle: {width: 0}, areaStyle: {color: this.color(kind), opacity: 1}, z: kinds.length - i,
      data: states.map((state) => [state[0], up(state, i)]), emphasis: {disabled: true},
    }));
    series.at(-1).markLine = {symbol: 'none', silent: true, animation: false, label: {formatter: 'peak', color: cssColor('muted')}, lineStyle: {color: cssColor('muted'), type: 'dashed'}, data: [{xAxis: peak[0]}]};
    return chartFigure({
      id: 'chart-memory', height: 420,
      summary: `Memory over time, at most ${formatBytes(most)}: ${kinds.map((kind, i) => `${kind} ${formatBytes(peak[i + 1])}`).join(', ')}`,
      caption: `The bytes that the program asked for, by kind, on top of each other.${perBin > 1 ? ` Up to ${formatCount(perBin)} events are two points: what was the most, and what came last.` : ''} Drag the bar below, or use Ctrl and the wheel, to zoom.`,
      option: {
        grid: {left: 16, right: 30, top: 44, bottom: 60, containLabel: true},
        legend: {top: 0, textStyle: {color: cssColor('text')}, data: kinds.map((kind) => ({name: kind, icon: 'roundRect'})), itemWidth: 16, selectedMode: false},
        xAxis: timeAxis('time since the process began', until, {min: 'dataMin', max: 'dataMax', axisLabel: {showMinLabel: false, showMaxLabel: false}}),
        yAxis: axis({type: 'value', min: 0, max: byteStep(most) * Math.max(1, Math.ceil(most / byteStep(most))), axisLabel: {formatter: (bytes) => formatBytes(bytes).replace('.00 ', ' ')}, interval: byteStep(most)}),
        dataZoom: [{type: 'inside', filterMode: 'none', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false}, zoomSlider({filterMode: 'none'})],
        tooltip: tooltip({trigger: 'axis', axisPointer: {lineStyle: {color: cssColor('muted')}}, formatter: ([{dataIndex}]) => {
          const state = states[dataIndex];
          return tip(`${formatTime(state[0])} after the process began`, [['in all', formatBytes(up(state, kinds.length - 1))], ...kinds.map((kind, i) => [kind, formatBytes(state[i + 1])])]);
        }}),
        series,
      },
    });
  },
};
/// A step of an axis up to `most` bytes that is a round number of its unit.
function byteStep(most) {
  let step = 1;
  while (step * 6 < most) step *= 2;
  return step;
}
