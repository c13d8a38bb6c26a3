// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// One replay: its regions and nodes as bars in lanes, below what the program's threads did while it was launched and ran. A lane holds
// bars that do not overlap; what is inside a region lies below it.
// Only what can be told apart at the current zoom is drawn, so 100,000 bars are as fluid as a hundred.

const laneHeight = 22, mostLanes = 150, mostHostLanes = 40;

/// What threads did from the launch of a replay to its end: bars in the lanes of their threads, which begin where they began, also before
/// the replay. Spans of a thread nest.
function hostBars(data, replay, index, end) {
  const bars = [], lanes = [], names = [];
  let launch = null, hidden = 0;
  if (!data.host || replay.at_ns <= 0) return {bars, lanes, names, launch, hidden, begin: 0, end};
  const {acts, threads, spans} = data.host, found = [];
  let begin = Math.min(0, replay.launch_ns ?? 0);
  for (let i = 0; i < spans.length; i += 6)
    if (threads[spans[i + 1]][0] === replay.run) {
      const one = {what: acts[spans[i]], thread: spans[i + 1], begin: spans[i + 2] - replay.at_ns, time: spans[i + 3], launches: spans[i + 4], bytes: spans[i + 5]};
      one.end = one.begin + one.time;
      found.push(one);
      if (replay.exec !== 0 && one.launches === index) [begin, end] = [Math.min(begin, one.begin), Math.max(end, one.end)]; // simulated, it may be later
    }
  const byThread = new Map();
  for (const one of found)
    if (one.end >= begin && one.begin <= end) {
      if (!byThread.has(one.thread)) byThread.set(one.thread, []);
      byThread.get(one.thread).push(one);
    }
  for (const [thread, list] of [...byThread].sort(([a], [b]) => a - b)) {
    list.sort((a, b) => a.begin - b.begin || b.end - a.end);
    const around = [], first = lanes.length, [, number, name] = threads[thread];
    for (const one of list) {
      while (around.length > 0 && around.at(-1).end <= one.begin && around.at(-1).end < one.end) around.pop();
      const lane = first + around.length;
      around.push(one);
      if (lane >= mostHostLanes) {
        ++hidden;
        continue;
      }
      if (lane === lanes.length) {
        lanes.push({bars: []});
        names.push(lane === first ? name || `thread ${number}` : '');
      }
      const bar = {what: one.what, begin: one.begin, end: one.end, measured: true, lane, bytes: one.bytes, thread: name ? `${number} (${name})` : `${number}`, inside: [], parent: null};
      if (replay.exec !== 0 && one.launches === index) launch = bar;
      bars.push(bar);
      lanes[lane].bars.push(bar);
    }
  }
  return {bars, lanes, names, launch, hidden, begin, end};
}

/// The measured items of a replay as bars with lanes. What is inside a region lies right below it, also where regions run side by side.
function layOut(data, replay, index) {
  const {items, streams} = replay, bars = [], last = new Map();
  for (let i = 0; i < items.length; i += 4) {
    const place = items[i], around = data.places[place].parent, parent = around < 0 ? null : last.get(around) ?? null;
    const bar = {number: i / 4, place, what: data.places[place], begin: items[i + 1], end: items[i + 1] + items[i + 2], measured: items[i + 2] >= 0, stream: items[i + 3], parent, inside: [], lane: -1};
    last.set(place, bar);
    bars.push(bar);
  }
  const {drawn} = replay;
  for (let i = 0; i < drawn.length; i += 2) bars[drawn[i]].drawnEnd = bars[drawn[i]].begin + drawn[i + 1];
  // What is in an unmeasured region, or on another stream, lies by itself.
  const roots = [];
  for (const bar of bars) if (bar.measured) (bar.parent?.measured && bar.parent.stream === bar.stream ? bar.parent.inside : roots).push(bar);
  // From the inside: how many lanes a bar and what is in it take, and when.
  const stack = (list, ends) => {
    list.sort((a, b) => a.from - b.from || b.to - a.to || a.number - b.number);
    for (const bar of list) {
      let lane = 0, free = 0;
      for (; free < bar.height; ++lane) free = (ends[lane] ?? -Infinity) <= bar.from ? free + 1 : 0;
      bar.below = lane - bar.height;
      for (let i = bar.below; i < lane; ++i) ends[i] = bar.to;
    }
    return ends.length;
  };
  for (const bar of [...bars].reverse()) {
    if (!bar.measured) continue;
    bar.from = bar.inside.reduce((least, one) => Math.min(least, one.from), bar.begin);
    bar.to = bar.inside.reduce((most, one) => Math.max(most, one.to), bar.end);
    bar.height = 1 + stack(bar.inside, []);
  }
  const end = bars.reduce((most, bar) => bar.measured ? Math.max(most, bar.end) : most, Math.max(1, replay.span_ns ?? 0));
  const host = hostBars(data, replay, index, end), {lanes, names} = host;
  const deviceLane = lanes.length;
  let hidden = host.hidden;
  for (let stream = 0; stream < streams.length; ++stream) {
    const first = lanes.length, count = stack(roots.filter((bar) => bar.stream === stream), []);
    for (let i = 0; i < count && lanes.length < deviceLane + mostLanes; ++i) {
      lanes.push({bars: []});
      names.push(i > 0 ? '' : `GPU ${replay.device}${replay.exec !== 0 && streams.length === 1 ? '' : `, stream ${streams[stream]}`}`);
    }
    for (const bar of bars) { // what contains a bar comes before it
      if (!bar.measured || bar.stream !== stream) continue;
      const lane = (bar.parent?.measured && bar.parent.stream === stream ? bar.parent.at + 1 : first) + bar.below;
      bar.at = lane;
      if (lane >= lanes.length) ++hidden;
      else {
        bar.lane = lane;
        lanes[lane].bars.push(bar);
      }
    }
  }
  for (const {bars: inLane} of lanes) inLane.sort((a, b) => a.begin - b.begin || a.end - b.end);
  const words = lanes.map((lane, i) => i < deviceLane ? '' : laneWord(lane));
  for (const bar of host.bars) bar.number = bars.push(bar) - 1;
  return {bars, lanes, names, words, hidden, begin: host.begin, end: host.end, replayEnd: end, deviceLane, launch: host.launch};
}

/// What is in a lane, in a word.
function laneWord({bars}) {
  const looks = new Set(bars.map((bar) => lookOf(bar.what.kind)));
  return looks.size === 1 ? {region: 'regions', kernel: 'kernels', copy: 'copies', other: 'nodes'}[[...looks][0]] : looks.has('region') ? 'regions, nodes' : 'nodes';
}

/// What is drawn of a time: bars that are wide enough, and for neighbours that are not, one for those within three pixels, in the
/// colour of the longest.
function visible(lanes, from, to, nsPerPixel, matches) {
  const drawn = [], least = 1.5 * nsPerPixel, most = Math.max(3, lanes.length / 12) * nsPerPixel;
  lanes.forEach(({bars}, lane) => {
    let low = 0, high = bars.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (bars[middle].end < from) low = middle + 1;
      else high = middle;
    }
    let many = null, longest = 0;
    for (let i = low; i < bars.length && bars[i].begin <= to; ++i) {
      const bar = bars[i], wide = bar.end - bar.begin >= least;
      if (many && (wide || bar.begin - many[2] > nsPerPixel || bar.end - many[1] > most)) {
        drawn.push(many);
        many = null;
      }
      if (wide) drawn.push([lane, bar.begin, bar.drawnEnd ?? bar.end, bar.number, 1, matches(bar) ? 1 : 0]);
      else if (!many) {
        longest = bar.end - bar.begin;
        many = [lane, bar.begin, bar.end, bar.number, 1, matches(bar) ? 1 : 0];
      } else {
        many[2] = Math.max(many[2], bar.end);
        if (bar.end - bar.begin > longest) [longest, many[3]] = [bar.end - bar.begin, bar.number];
        ++many[4];
        many[5] ||= matches(bar) ? 1 : 0;
      }
    }
    if (many) drawn.push(many);
  });
  return drawn;
}

const timeline = {
  id: 'timeline', title: 'Timeline',
  chosen: null, search: '', selected: null,
  make(section) {
    const data = side(), {replays} = data;
    if (replays.length === 0) {
      put(section, h('h2', {}, 'Timeline'), h('p', {class: 'card empty'}, 'No replay is kept here.'));
      return;
    }
    if (this.chosen === null || this.chosen >= replays.length)
      this.chosen = [replays.findIndex((replay) => !replay.cold && replay.why === 'fastest'), replays.findIndex((replay) => !replay.cold), 0].find((i) => i >= 0);
    this.replay = replays[this.chosen];
    this.laid = layOut(data, this.replay, this.chosen);
    const critical = criticalOf(data, this.replay);
    this.critical = new Set(critical ? data.places.flatMap((place, i) => place.kind !== 'region' && isOnPath(critical.byPath.get(place.path)) ? [i] : []) : []);
    this.selected = null;
    const {lanes, hidden, bars, deviceLane, launch, begin, end} = this.laid, unmeasured = bars.filter((bar) => !bar.measured).length;
    this.details = h('div', {class: 'card', id: 'details', 'aria-live': 'polite'}, h('p', {class: 'muted'}, 'Click a bar to see what it is.'));
    this.found = h('span', {class: 'muted', 'aria-live': 'polite'});
    put(section, h('div', {class: 'head'}, h('h2', {}, 'Timeline of a replay'),
      selectOf('Replay', replays.map((replay, i) => [i, replayName(data, replay)]), this.chosen, (value) => { this.chosen = Number(value); remake('timeline'); }, 'replay'),
      h('input', {type: 'search', id: 'timeline-search', placeholder: 'Find a name', 'aria-label': 'Find a region or node by its name', value: this.search, oninput: ({target}) => this.find(target.value), onkeydown: (event) => { if (event.key === 'Enter') this.next(event.shiftKey ? -1 : 1, true); }}),
      this.found,
      h('div', {class: 'choice'}, h('button', {type: 'button', 'aria-label': 'Zoom in', onclick: () => this.zoom(.5)}, '+'), h('button', {type: 'button', 'aria-label': 'Zoom out', onclick: () => this.zoom(2)}, '−'), h('button', {type: 'button', onclick: () => this.look(begin, end)}, 'All'))),
    lanes.length === 0 ? h('p', {class: 'card empty'}, 'Nothing of this replay was measured.') : h('div', {class: 'card'}, legendOf(this.looks()), chartFigure({
      id: 'chart-timeline', height: 104 + laneHeight * lanes.length, focusable: true,
      summary: `${formatCount(bars.length)} bars in ${lanes.length} lanes.${launch?.begin < 0 ? ` Launched ${formatTime(-launch.begin)} before it began.` : ''} Arrow keys go from bar to bar; W and S zoom, A and D move.`,
      caption: `What is inside a region lies below it; what runs at the same time lies in lanes below each other. Bars too narrow to tell apart are drawn as one.${deviceLane > 0 ? ` Above: what the program's threads did meanwhile.${launch ? ` The line leads from the launch${launch.begin < 0 ? `, ${formatTime(-launch.begin)} before,` : ''} to the replay${this.launchIsFar() ? '; All shows it' : ''}.` : ''}` : ''}${unmeasured > 0 ? ` ${counted(unmeasured, 'execution was', 'executions were')} not measured.` : ''}${hidden > 0 ? ` ${counted(hidden, 'bar lies', 'bars lie')} in lanes below these ${mostLanes}.` : ''}`,
      option: this.option(), then: (chart, box) => this.begin(chart, box),
    })), this.details);
    this.find(this.search, true);
  },
  option() {
    const {names, words, begin, end} = this.laid;
    return {
      grid: {left: this.left(), right: 20, top: 52, bottom: 40},
      xAxis: timeAxis('time since the replay began', Math.max(-begin, end), {min: begin, max: end, position: 'top', splitLine: {show: true}, axisLabel: {showMaxLabel: false}}),
      yAxis: axis({type: 'category', inverse: true, data: names.map((_, i) => i), axisLabel: {interval: 0, hideOverlap: false, formatter: (i) => this.laneName(names[i], words[i]), color: cssColor('text'), rich: {word: {color: cssColor('muted'), fontSize: 11}}}, axisLine: {show: false}, splitLine: {show: false}}),
      dataZoom: [{type: 'inside', filterMode: 'none', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: 'shift', minValueSpan: Math.min(end - begin, 50)}, zoomSlider({filterMode: 'none', minValueSpan: Math.min(end - begin, 50)})],
      tooltip: tooltip({trigger: 'item', formatter: ({value}) => this.tip(value)}),
      series: [{type: 'custom', clip: true, progressive: 0, renderItem: (_, api) => this.draw(api), encode: {x: [1, 2], y: 0}, data: []},
        {type: 'custom', clip: true, silent: true, z: 5, renderItem: (_, api) => this.drawLaunch(api), encode: {x: [1, 2], y: 0}, data: this.laid.launch && this.laid.lanes.length > this.laid.deviceLane ? [[this.laid.launch.lane, this.laid.launch.begin, 0]] : []}],
    };
  },
  begin(chart, box) {
    this.chart = chart;
    this.range = [this.laid.begin, this.laid.end];
    chart.on('datazoom', () => {
      const zoom = chart.getOption().dataZoom[0];
      this.range = [zoom.startValue, zoom.endValue];
      this.redraw();
    });
    chart.on('click', ({value}) => this.select(value[3]));
    box.addEventListener('keydown', (event) => this.key(event));
    if (this.launchIsFar()) this.look(-.02 * this.laid.replayEnd, this.laid.replayEnd);
    this.redraw();
  },
  /// Whether a replay is a small part of what is from its launch to its end: it waited for others.
  launchIsFar() { return this.laid.end - this.laid.begin > 4 * this.laid.replayEnd; },
  /// Where the chart begins: right of the names.
  left() {
    const longest = Math.max(...this.laid.names.map((name, i) => this.laneName(name, this.laid.words[i]).replace(/\{word\|(.*)\}/, '$1').length));
    return Math.min(16 + 7 * longest, innerWidth < 700 ? 96 : 190);
  },
  /// Of a thread or stream, and what is in its lane; on a narrow screen one of them.
  laneName(name, word) {
    const most = 26, short = name.length > most ? `${name.slice(0, most - 1)}…` : name;
    if (innerWidth < 700) return short ? short.slice(0, 13) : `{word|${word}}`;
    return [short, word ? `{word|${word}}` : ''].filter(Boolean).join('  ');
  },
  looks() {
    const kinds = new Set(this.laid.bars.filter((bar) => bar.measured && !bar.what.host).map((bar) => lookOf(bar.what.kind)));
    return [['region', 'region'], ['kernel', 'kernel'], ['copy', 'copy or memset'], ['other', this.laid.deviceLane > 0 ? 'what threads did' : 'other node'], ['critical', 'on the critical path in most replays']]
      .filter(([look]) => look === 'critical' ? this.critical.size > 0 : kinds.has(look) || (look === 'other' && this.laid.deviceLane > 0));
  },
  redraw() {
    if (!this.chart || this.chart.isDisposed()) return;
    const [from, to] = this.range, width = Math.max(100, this.chart.getWidth() - this.left() - 20);
    this.drawn = visible(this.laid.lanes, from, to, (to - from) / width, this.matches);
    this.chart.setOption({series: [{data: this.drawn}, {}]});
  },
  matches: () => true,
  draw(api) {
    const lane = api.value(0), number = api.value(3), many = api.value(4);
    const [left, middle] = api.coord([api.value(1), lane]), [right] = api.coord([api.value(2), lane]);
    const place = this.laid.bars[number].what, color = place.host ? cssColor('other') : colorOf(place.kind);
    const chosen = number === this.selected && many === 1, faint = api.value(5) === 0;
    // Parts far out of view are cut, so that a label is where it can be seen.
    const edge = this.chart.getWidth() - 20, x = Math.max(this.left(), left), width = Math.max(1, Math.min(edge, right) - x), height = laneHeight - 4;
    const critical = this.critical.has(this.laid.bars[number].place); // a host's bar has no place
    return {type: 'group', children: [{type: 'rect', ignore: !critical, shape: {x, y: middle + height / 2 - 1, width, height: 3}, style: {fill: cssColor('critical')}, z2: 2}, {
      type: 'rect', shape: {x, y: middle - height / 2, width, height, r: width > 6 ? 2 : 0},
      style: {fill: color, opacity: faint ? .18 : place.host ? .45 : many > 1 ? .75 : 1, stroke: chosen ? cssColor('text') : cssColor('surface'), lineWidth: chosen ? 2.5 : width > 3 ? 1 : 0},
      textContent: {ignore: width <= 44, style: {text: many > 1 ? `${formatCount(many)} bars` : place.name, width: Math.max(1, width - 10), overflow: 'truncate', ellipsis: '…', fontSize: 11.5, fill: faint || place.host ? cssColor('text') : textColorOn(place.kind), opacity: faint ? .4 : 1}},
      textConfig: {position: 'insideLeft', distance: 5},
    }]};
  },
  /// From the begin of the launch to the begin of the replay.
  drawLaunch(api) {
    const [x1, y1] = api.coord([api.value(1), api.value(0)]), [x2, y2] = api.coord([api.value(2), this.laid.deviceLane]), half = (laneHeight - 4) / 2;
    const from = y1 + half, to = y2 - half, stroke = cssColor('text');
    return {type: 'group', children: [
      {type: 'bezierCurve', shape: {x1, y1: from, cpx1: x1, cpy1: (from + to) / 2 + 6, cpx2: x2, cpy2: (from + to) / 2 - 6, x2, y2: to}, style: {stroke, fill: 'none', lineWidth: 1.2, opacity: .75}},
      {type: 'polygon', shape: {points: [[x2, to], [x2 - 4, to - 6], [x2 + 4, to - 6]]}, style: {fill: stroke, opacity: .75}},
    ]};
  },
  tip([, begin, end, number, many]) {
    if (many > 1) return tip(counted(many, 'bar', 'bars'), [['from', formatMoment(begin)], ['to', formatMoment(end)], ['', 'zoom in to tell them apart']]);
    const bar = this.laid.bars[number], place = bar.what, row = place.host ? null : this.rowOf(place);
    return tip(place.name, [['', place.kind], ['time', formatTime(bar.end - bar.begin)], ['busy', row ? busyText(row) : null], ['begins at', formatMoment(begin)]]);
  },
  rowOf(place) {
    return side().reports.region.rows.find((one) => one.path === place.path);
  },
  /// Shows what is known of a bar.
  select(number, looks = false) {
    const bar = this.laid.bars[number], place = bar.what, time = bar.end - bar.begin;
    this.selected = number;
    const row = place.host ? null : this.rowOf(place);
    this.details.replaceChildren(
      h('div', {class: 'head'}, h('h3', {}, place.name), h('span', {class: 'muted'}, place.kind),
        h('button', {type: 'button', onclick: () => this.look(bar.begin - .05 * time, bar.end + .05 * time)}, 'Zoom to it'),
        row ? h('button', {type: 'button', onclick: () => showDistribution('region', row)}, 'Its distribution') : null),
      h('div', {class: 'two'},
        facts([['Time', formatTime(time)], ['Begins at', formatMoment(bar.begin)], ['Ends at', formatMoment(bar.end)],
          ['Of this replay', this.replay.span_ns && !place.host ? formatPercent(100 * time / this.replay.span_ns) : null], ['Path', place.host ? null : h('span', {class: 'mono'}, place.path)],
          ['Source', place.source ? h('span', {class: 'mono'}, place.source) : null], ...place.host ? [['Thread', bar.thread], ['Bytes', bar.bytes > 0 ? formatBytes(bar.bytes) : null], ['Launches', bar === this.laid.launch ? 'this replay' : null]] : [['Stream', `${this.replay.streams[bar.stream]}`]]]),
        row && row.count > 0 ? facts([['In all replays', `${counted(row.count, 'execution', 'executions')}${row.cold ? ', cold' : ''}`], ['Median', formatTime(row.p50_ns, !row.rounded)],
          ['P95', formatTime(row.p95_ns, !row.rounded)], ['This one', row.p50_ns > 0 ? `${formatRatio(time / row.p50_ns)} against the median` : null],
          ['Busy', busyText(row)], ['Gap behind it', gapText(row)]]) : ''));
    if (looks && (bar.begin < this.range[0] || bar.end > this.range[1])) {
      const span = Math.max(time * 1.2, this.range[1] - this.range[0]), middle = (bar.begin + bar.end) / 2;
      this.look(middle - span / 2, middle + span / 2);
    }
    this.redraw();
  },
  look(from, to) {
    const all = this.laid.end - this.laid.begin, span = Math.min(all, Math.max(to - from, Math.min(all, 50))), begin = Math.min(Math.max(this.laid.begin, from), this.laid.end - span);
    this.chart?.dispatchAction({type: 'dataZoom', startValue: begin, endValue: begin + span});
  },
  zoom(factor) {
    const [from, to] = this.range, bar = this.selected === null ? null : this.laid.bars[this.selected];
    const at = bar && bar.end >= from && bar.begin <= to ? (Math.max(bar.begin, from) + Math.min(bar.end, to)) / 2 : (from + to) / 2;
    this.look(at - factor * (at - from), at + factor * (to - at));
  },
  find(text, quietly = false) {
    this.search = text;
    const matches = wordsIn(text);
    const hits = text.trim() === '' ? null : new Set([...side().places, ...side().host?.acts ?? []].filter((what) => matches(what.name)));
    this.matches = hits ? (bar) => hits.has(bar.what) : () => true;
    this.hits = hits ? this.laid.bars.filter((bar) => bar.lane >= 0 && hits.has(bar.what)).sort((a, b) => a.begin - b.begin) : [];
    this.found.textContent = hits ? `${formatCount(this.hits.length)} found${this.hits.length > 0 ? '; Enter: the next' : ''}` : '';
    if (!quietly) this.redraw();
  },
  /// The next bar that was searched.
  next(step) {
    if (this.hits.length === 0) return;
    const at = this.hits.findIndex((bar) => bar.number === this.selected);
    this.select(this.hits[at < 0 ? 0 : (at + step + this.hits.length) % this.hits.length].number, true);
  },
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [from, to] = this.range, step = .2 * (to - from);
    const actions = {
      w: () => this.zoom(.6), '+': () => this.zoom(.6), s: () => this.zoom(1 / .6), '-': () => this.zoom(1 / .6),
      a: () => this.look(from - step, to - step), d: () => this.look(from + step, to + step), f: () => this.look(this.laid.begin, this.laid.end),
      ArrowRight: () => this.go(0, 1), ArrowLeft: () => this.go(0, -1), ArrowDown: () => this.go(1, 0), ArrowUp: () => this.go(-1, 0),
      Enter: () => {
        const bar = this.laid.bars[this.selected];
        if (bar) this.look(bar.begin - .05 * (bar.end - bar.begin), bar.end + .05 * (bar.end - bar.begin));
      },
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  },
  /// To a bar beside, below or above the selected one.
  go(down, right) {
    const {lanes, bars} = this.laid, bar = this.selected === null ? null : bars[this.selected];
    if (!bar || bar.lane < 0) return this.select(lanes[0].bars[0].number, true);
    if (right !== 0) {
      const inLane = lanes[bar.lane].bars, to = inLane[inLane.indexOf(bar) + right];
      if (to) this.select(to.number, true);
      return;
    }
    const lane = lanes[bar.lane + down];
    if (!lane) return;
    const middle = (bar.begin + bar.end) / 2, away = (one) => Math.max(one.begin - middle, middle - one.end, 0);
    const to = down > 0 ? lane.bars.find((one) => one.end > bar.begin) ?? lane.bars.at(-1) : lane.bars.reduce((best, one) => away(one) < away(best) ? one : best);
    this.select(to.number, true);
  },
};
