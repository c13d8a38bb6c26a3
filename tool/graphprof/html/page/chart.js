// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// Charts, which ECharts draws, in the page's colours.

// Paul Tol's bright colours, which the colour-blind tell apart, deep enough in the light for white texts on them.
const palette = {
  light: ['#2f6db3', '#c93a4e', '#23803a', '#8f6b00', '#0f7a96', '#8f3a84', '#5f6a77', '#b3560f'],
  dark: ['#6aa7f0', '#ff8a8f', '#5fc873', '#e2c04a', '#5fcde4', '#d17fc6', '#a3adb8', '#f0a35e'],
};
const colors = () => palette[state.dark ? 'dark' : 'light'];
const cssColor = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

const charts = new Set();

/// A figure with a chart: `option` is ECharts', `summary` what somebody hears who does not see it. The chart is made when the
/// figure is in the page; `then(chart)` gets it.
function chartFigure({option, summary, caption, height, then, id, focusable}) {
  const box = h('div', {class: 'chart', id, role: focusable ? 'application' : 'img', 'aria-label': summary, tabindex: focusable ? '0' : undefined,
    style: height ? {height: `${height}px`} : {}});
  const figure = h('figure', {}, box, caption ? h('figcaption', {}, caption) : null);
  figure.begin = () => {
    const chart = echarts.init(box, null, {renderer: 'canvas'});
    charts.add({chart, box});
    chart.setOption({...baseOption(), ...option});
    then?.(chart, box);
    return chart;
  };
  return figure;
}
/// Makes the charts of the figures in an element that has come into the page.
function beginCharts(element) {
  for (const figure of element.querySelectorAll('figure'))
    if (figure.begin) {
      figure.begin();
      figure.begin = null;
    }
}
function endCharts(element) {
  for (const one of charts)
    if (element.contains(one.box)) {
      one.chart.dispose();
      charts.delete(one);
    }
}
new ResizeObserver(() => resizeCharts()).observe(document.getElementById('views'));
function resizeCharts() {
  for (const {chart, box} of charts) if (box.offsetWidth > 0) chart.resize();
}

function baseOption() {
  return {
    animation: false, color: colors(), backgroundColor: 'transparent',
    textStyle: {fontFamily: 'system-ui, "Segoe UI", Roboto, Arial, sans-serif', color: cssColor('text')},
    aria: {enabled: false}, // each chart says itself what it shows
  };
}
function axis(more) {
  const {axisLabel, splitLine, ...others} = more;
  return {
    axisLine: {lineStyle: {color: cssColor('border')}}, axisTick: {show: false},
    nameTextStyle: {color: cssColor('muted')}, nameGap: 28, nameLocation: 'middle',
    axisLabel: {color: cssColor('muted'), hideOverlap: true, ...axisLabel},
    splitLine: {lineStyle: {color: cssColor('soft')}, ...splitLine}, ...others,
  };
}
function tooltip(more) {
  return {
    backgroundColor: cssColor('raised'), borderColor: cssColor('border'), textStyle: {color: cssColor('text'), fontSize: 12.5},
    confine: true, transitionDuration: 0, ...more,
  };
}
/// A tooltip's text as an element, so that a name is never markup.
const tip = (title, pairs) => h('div', {}, h('div', {style: {'font-weight': '600', 'max-width': '60ch', 'white-space': 'normal', 'overflow-wrap': 'anywhere'}}, title), facts(pairs));
function zoomSlider(more) {
  return {
    type: 'slider', height: 18, bottom: 8, borderColor: cssColor('border'), fillerColor: state.dark ? 'rgb(91 164 247 / .18)' : 'rgb(11 98 196 / .12)',
    backgroundColor: 'transparent', handleStyle: {color: cssColor('raised'), borderColor: cssColor('muted')}, moveHandleSize: 4,
    textStyle: {color: cssColor('muted')}, dataBackground: {lineStyle: {opacity: 0}, areaStyle: {opacity: 0}},
    selectedDataBackground: {lineStyle: {opacity: 0}, areaStyle: {opacity: 0}}, showDetail: false, ...more,
  };
}
/// A colour for a name, the same in all views: kernels and regions get them in the order in which they come, those that differ in
/// numbers only the same one.
const kindColors = {memcpy: 3, memset: 5, host: 6, graph: 4}, nameColors = new Map();
function colorOf(kind, name) {
  if (kind in kindColors) return colors()[kindColors[kind]];
  const without = name.replace(/ #\d+$/, '').replace(/\d+/g, '');
  if (!nameColors.has(without)) nameColors.set(without, [0, 2, 1, 4, 7, 5, 3][nameColors.size % 7]);
  return colors()[nameColors.get(without)];
}
