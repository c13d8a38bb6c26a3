// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// Charts, which ECharts draws, in the page's colours.

// A colour means one thing, and style.css says which; the colour-blind tell them apart (html_test.py computes it).
const known = new Map(); // of this theme
function cssColor(name) {
  if (!known.has(name)) known.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  return known.get(name);
}
const forgetColors = () => known.clear();
/// What a bar is, as a word of style.css: what kinds of regions and nodes look like.
const lookOf = (kind) => ({region: 'region', kernel: 'kernel', memcpy: 'copy', memset: 'copy'})[kind] ?? 'other';
const colorOf = (kind) => cssColor(lookOf(kind));
const textColorOn = (kind) => cssColor(`on-${lookOf(kind)}`);
/// Of several processes, or kinds of memory: shades of one hue, from dark to light.
function shadeOf(i, of) {
  const part = of < 2 ? 0 : i / (of - 1);
  return state.dark ? `hsl(${265 - 70 * part} ${55 - 15 * part}% ${78 - 44 * part}%)` : `hsl(${265 - 70 * part} ${40 + 5 * part}% ${34 + 44 * part}%)`;
}
const sideColor = (i) => page.sides.length < 2 ? shadeOf(0, 1) : cssColor(page.sides[i].name);
/// What the colours on a chart mean.
const legendOf = (looks) => h('div', {class: 'legend'}, looks.map(([look, text]) => h('span', {}, h('i', {class: `look-${look}`}), text)));

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
    animation: false, color: [shadeOf(0, 1)], backgroundColor: 'transparent',
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
/// An axis of times up to `most`; one unit for all of them, which stands in its name.
function timeAxis(name, most, more = {}) {
  const unit = axisUnit(most), {axisLabel, ...others} = more;
  return axis({type: 'value', name: `${name}, ${unit.name}`, axisLabel: {formatter: axisNumber(unit), ...axisLabel}, ...others});
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
    type: 'slider', height: 18, bottom: 8, borderColor: cssColor('border'), fillerColor: state.dark ? 'rgb(230 234 240 / .14)' : 'rgb(28 33 40 / .08)',
    backgroundColor: 'transparent', handleStyle: {color: cssColor('raised'), borderColor: cssColor('muted')}, moveHandleSize: 4,
    textStyle: {color: cssColor('muted')}, dataBackground: {lineStyle: {opacity: 0}, areaStyle: {opacity: 0}},
    selectedDataBackground: {lineStyle: {opacity: 0}, areaStyle: {opacity: 0}}, showDetail: false, moveHandleStyle: {color: cssColor('border')}, emphasis: {moveHandleStyle: {color: cssColor('muted')}, handleStyle: {borderColor: cssColor('text')}}, brushSelect: false, ...more,
  };
}
