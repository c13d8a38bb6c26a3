// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// How long each replay took, in the order in which they ran: one line for each process, with the range of the replays that share a
// point.

const overTime = {
  id: 'over-time', title: 'Over time',
  chosen: null, by: 'number', cold: 'warm',
  make(section) {
    const names = [...new Set(page.sides.flatMap((one) => one.data.series.filter((series) => [...series.warm, ...series.cold].some((bin) => bin[2] > 0)).map((series) => series.name)))];
    if (names.length === 0) {
      put(section, h('h2', {}, 'Replays over time'), h('p', {class: 'card empty'}, 'The recordings do not say how long replays took: CSV does not hold it, and what was lost has no time.'));
      return;
    }
    if (!names.includes(this.chosen)) this.chosen = names[0];
    const holder = h('div', {class: 'card'});
    const again = () => {
      endCharts(holder);
      holder.replaceChildren(...this.parts());
      beginCharts(holder);
    };
    put(section, h('div', {class: 'head'}, h('h2', {}, 'Replays over time'),
      selectOf('Show', names.map((name) => [name, name]), this.chosen, (value) => { this.chosen = value; again(); }, 'series'),
      choiceOf('Axis', [['number', 'By number'], ['time', 'By time'], ...page.sides.some((one) => one.data.clocks) ? [['clock', 'On one clock']] : []], this.by, (value) => { this.by = value; again(); }),
      page.sides.some((one) => one.data.series.some((series) => series.cold.length > 0)) ? choiceOf('Cold replays', [['warm', 'Warm'], ['all', 'With cold']], this.cold, (value) => { this.cold = value; again(); }) : null), holder);
    holder.append(...this.parts());
  },
  parts() {
    const most = 12, lines = [];
    let left = 0;
    page.sides.forEach((one, of) => one.data.series.forEach((series) => {
      if (series.name !== this.chosen) return;
      if (lines.length >= most * (of + 1)) ++left;
      else lines.push({of, data: one.data, series, name: [one.name, shortRun(one.data, series.run)].filter(Boolean).join(' ')});
    }));
    const option = {
      grid: {left: 36, right: 24, top: lines.length > 1 ? 40 : 16, bottom: 60, containLabel: true},
      legend: {show: lines.length > 1, type: 'scroll', top: 0, textStyle: {color: cssColor('text')}, data: lines.map((line) => line.name), itemWidth: 16},
      xAxis: null, // both are known when the points are
      yAxis: null,
      dataZoom: [{type: 'inside', filterMode: 'none', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false}, zoomSlider({filterMode: 'none'})],
      tooltip: tooltip({trigger: 'item', formatter: ({data}) => tip(data.title, data.facts)}),
      series: [],
    };
    let points = 0, cold = 0, least = Infinity, greatest = 0, last = 0;
    lines.forEach((line, i) => {
      const color = page.sides.length > 1 ? sideColor(line.of) : shadeOf(i, lines.length);
      const of = (bins, isCold) => {
        return bins.map(([number, at, count, missed, min, mean, max, onOne]) => {
          const x = {time: at, clock: onOne, number}[this.by];
          if (count === 0 || x === undefined) return null;
          [least, greatest, last] = [Math.min(least, min), Math.max(greatest, max), Math.max(last, x)];
          return {x, at, min, mean, max, title: `${line.name}, ${count + missed > 1 ? `${formatCount(count + missed)} from number ${formatCount(number)}` : `number ${formatCount(number)}`}${isCold ? ', cold' : ''}`,
            facts: [[count > 1 ? 'mean' : 'time', formatTime(mean)], ['least', count > 1 ? formatTime(min) : null], ['greatest', count > 1 ? formatTime(max) : null],
              ['since the start', at > 0 ? formatTime(at) : null], ['since the first process began', onOne === undefined ? null : formatMoment(onOne)], ['not measured', missed || null]]};
        }).filter(Boolean);
      };
      const warm = of(line.series.warm, false), colds = this.cold === 'all' ? of(line.series.cold, true) : [];
      points += warm.length;
      cold += colds.length;
      const shared = {type: 'line', cursor: 'pointer', emphasis: {disabled: true}};
      const dots = (list) => list.map((point) => ({value: [point.x, point.mean], title: point.title, facts: point.facts, line: i, at: point.at})); // a number: ECharts copies all that an item holds
      if (line.series.per_bin > 1)
        option.series.push(
          {...shared, name: line.name, silent: true, symbol: 'none', stack: `range ${i}`, lineStyle: {opacity: 0}, color, data: warm.map((point) => [point.x, point.min])},
          {...shared, name: line.name, silent: true, symbol: 'none', stack: `range ${i}`, lineStyle: {opacity: 0}, color, areaStyle: {color, opacity: .2}, data: warm.map((point) => [point.x, point.max - point.min])});
      option.series.push({...shared, name: line.name, color, symbol: 'circle', symbolSize: warm.length > 300 ? 3 : 5, showSymbol: true, lineStyle: {width: 1.5}, itemStyle: {color}, data: dots(warm)});
      if (colds.length > 0)
        option.series.push({...shared, name: line.name, color, lineStyle: {opacity: 0}, symbol: 'diamond', symbolSize: 10, showSymbol: true, itemStyle: {color: 'transparent', borderColor: color, borderWidth: 2}, data: dots(colds)});
    });
    const extent = {min: 'dataMin', max: 'dataMax', axisLabel: {showMinLabel: false, showMaxLabel: false}};
    option.yAxis = timeAxis(lines.some((line) => line.series.is_graph) ? 'time of a replay' : 'time of an execution', points + cold > 0 ? greatest : 0, {scale: true, nameGap: 52});
    option.xAxis = this.by === 'number' ? axis({type: 'value', name: 'number, of those recorded', ...extent})
      : timeAxis(this.by === 'time' ? 'time since the process began' : 'time since the first process began', last, extent);
    return [
      chartFigure({
        id: 'chart-over-time', height: 440, option,
        summary: points === 0 ? 'No warm replay' : `${formatCount(points)} points of ${this.chosen}, from ${formatTime(least)} to ${formatTime(greatest)}`,
        caption: `${this.chosen}: a point is a replay${lines.some((line) => line.series.per_bin > 1) ? `, or up to ${formatCount(Math.max(...lines.map((line) => line.series.per_bin)))} neighbours: their mean, and in the band their least and greatest` : ''}. ${cold > 0 ? 'Diamonds are cold replays, which figures leave out. ' : ''}Click one for the nearest replay's timeline. Drag the bar below, or use Ctrl and the wheel, to zoom.${left > 0 ? ` ${counted(left, 'process', 'processes')} more not drawn.` : ''}${this.by === 'clock' ? ` ${clockNote(side())}` : ''}`,
        then: (chart) => chart.on('click', ({data}) => data?.line >= 0 && this.open({line: lines[data.line], at: data.at})),
      }),
    ];
  },
  /// The timeline of the replay nearest to a point.
  open({line, at}) {
    const isIts = (replay) => line.series.is_graph ? replay.exec !== 0 && replay.graph_name === line.series.name : replay.exec === 0;
    let best = null;
    line.data.replays.forEach((replay, i) => {
      if (replay.run === line.series.run && isIts(replay) && (best === null || Math.abs(replay.at_ns - at) < Math.abs(line.data.replays[best].at_ns - at))) best = i;
    });
    if (best === null) return;
    if (state.side !== line.of) setSide(line.of);
    timeline.chosen = best;
    show('timeline', true);
  },
};
