// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

// The picture of a graph on a canvas: it fits the screen, and is zoomed and moved with the mouse, fingers or keys. Only what is in view is
// drawn, and texts only where they can be read. Knows boxes and lines, but not what they stand for: `looks` says that.

class GraphCanvas {
  /// looks: {look(box): a word of style.css, texts(box): [name, time], part(box): 0..1 of the longest, isCritical(box), isLineCritical(line),
  /// isFaint(box)}. onpick(box): it was clicked.
  constructor(summary, height, looks, onpick) {
    Object.assign(this, {looks, onpick, scene: null, selected: null, scale: 1, x: 0, y: 0, drawn: 0, pointers: new Map(), isFitting: true});
    this.canvas = h('canvas', {tabindex: '0', role: 'application', 'aria-label': summary, style: {height: `${height}px`}});
    this.element = h('div', {id: 'chart-graph', class: 'graph-canvas'}, this.canvas);
    new ResizeObserver(() => this.resize()).observe(this.element);
    for (const type of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel']) this.canvas.addEventListener(type, (event) => this[type](event));
    this.canvas.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && document.activeElement !== this.canvas) return; // the page scrolls
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 300), event.offsetX, event.offsetY);
    }, {passive: false});
    this.canvas.addEventListener('keydown', (event) => this.key(event));
  }
  show(scene) {
    this.scene = scene;
    if (this.isFitting) this.fit();
    else this.draw();
  }
  resize() {
    const {clientWidth: width, clientHeight: height} = this.canvas, ratio = devicePixelRatio || 1;
    if (width === 0 || (this.width === width && this.height === height)) return;
    Object.assign(this, {width, height, ratio});
    [this.canvas.width, this.canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.isFitting) this.fit();
    else this.draw();
  }
  /// All of it, or what is around a box.
  fit(box = null) {
    if (!this.scene || !this.width) return;
    const [left, top, width, height] = box ? [box.left - 20, box.top - 20, box.width + 40, box.height + 40] : [0, 0, this.scene.width, this.scene.height];
    this.scale = Math.min(this.width / width, this.height / height, box ? 1.6 : 1.3);
    this.x = (this.width - width * this.scale) / 2 - left * this.scale;
    this.y = box || height * this.scale > .6 * this.height ? (this.height - height * this.scale) / 2 - top * this.scale : 0;
    this.isFitting = box === null;
    this.draw();
  }
  zoom(by, x = this.width / 2, y = this.height / 2) {
    const scale = Math.min(4, Math.max(.02, this.scale * by)), factor = scale / this.scale;
    [this.x, this.y, this.scale, this.isFitting] = [x - factor * (x - this.x), y - factor * (y - this.y), scale, false];
    this.draw();
  }
  move(dx, dy) {
    [this.x, this.y, this.isFitting] = [this.x + dx, this.y + dy, false];
    this.draw();
  }
  /// The innermost box at a place on the canvas.
  at(x, y) {
    const [sceneX, sceneY] = [(x - this.x) / this.scale, (y - this.y) / this.scale];
    return this.scene.boxes.findLast((box) => sceneX >= box.left && sceneX <= box.left + box.width && sceneY >= box.top && sceneY <= box.top + box.height) ?? null;
  }
  select(box, looks = false) {
    this.selected = box;
    if (looks && box) this.fit(box);
    else this.draw();
  }

  pointerdown(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    this.travelled = this.pointers.size > 1 ? Infinity : 0;
  }
  pointermove(event) {
    const last = this.pointers.get(event.pointerId), now = [event.offsetX, event.offsetY];
    if (!last) {
      const box = this.scene && this.at(...now);
      this.canvas.style.cursor = box ? 'pointer' : 'grab';
      this.canvas.title = box ? this.looks.texts(box).join('\n') : '';
      return;
    }
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.pointers.set(event.pointerId, now);
    this.travelled += Math.hypot(now[0] - last[0], now[1] - last[1]);
    if (other) {
      const distance = (one) => Math.max(1, Math.hypot(one[0] - other[0], one[1] - other[1]));
      this.zoom(distance(now) / distance(last), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    } else if (this.travelled > 4) this.move(now[0] - last[0], now[1] - last[1]);
  }
  pointerup(event) {
    this.pointers.delete(event.pointerId);
    if (this.travelled > 4) return;
    const box = this.at(event.offsetX, event.offsetY);
    if (box) this.onpick(box);
  }
  pointercancel(event) { this.pointers.delete(event.pointerId); }
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const boxes = this.scene.boxes, step = (by) => this.select(boxes[(Math.max(boxes.indexOf(this.selected), by > 0 ? -1 : 0) + by + boxes.length) % boxes.length]);
    const actions = {'+': () => this.zoom(1.4), w: () => this.zoom(1.4), '-': () => this.zoom(1 / 1.4), s: () => this.zoom(1 / 1.4), f: () => this.fit(), a: () => this.move(80, 0), d: () => this.move(-80, 0),
      ArrowRight: () => step(1), ArrowDown: () => step(1), ArrowLeft: () => step(-1), ArrowUp: () => step(-1), Enter: () => this.selected && this.onpick(this.selected)};
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  draw() {
    if (!this.scene || !this.width) return;
    const to = this.canvas.getContext('2d'), {scale, ratio} = this;
    to.setTransform(1, 0, 0, 1, 0, 0);
    to.clearRect(0, 0, this.canvas.width, this.canvas.height);
    to.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * this.x, ratio * this.y);
    to.textBaseline = 'middle';
    const [left, top, right, bottom] = [-this.x / scale, -this.y / scale, (this.width - this.x) / scale, (this.height - this.y) / scale];
    const inView = (box) => box.left < right && box.left + box.width > left && box.top < bottom && box.top + box.height > top && box.width * scale > 1;
    const boxes = this.scene.boxes.filter(inView), around = boxes.filter((box) => box.isOpen && box.inside.length > 0), others = boxes.filter((box) => !around.includes(box));
    this.drawn = boxes.length;
    for (const box of around) this.drawAround(to, box);
    for (const line of this.scene.lines) if (inView(line.from) || inView(line.to)) this.drawLine(to, line);
    for (const box of others) this.drawBox(to, box);
    for (const box of around) this.drawTitle(to, box);
    to.globalAlpha = 1;
  }
  drawAround(to, box) {
    to.globalAlpha = this.looks.isFaint(box) ? .1 : .38;
    to.fillStyle = cssColor('region');
    to.beginPath();
    to.roundRect(box.left, box.top, box.width, box.height, 8);
    to.fill();
    to.globalAlpha = 1;
    to.strokeStyle = cssColor(box === this.selected ? 'text' : 'border');
    to.lineWidth = (box === this.selected ? 2.5 : 1.2) / Math.min(1, this.scale);
    to.stroke();
  }
  /// As large as the others where those can be read, otherwise as large as it takes to read it.
  drawTitle(to, box) {
    const size = Math.min(Math.max(12, 11 / this.scale), box.width / 9, .3 * box.height), wide = box.width - 16;
    if (size * this.scale < 7) return;
    const [name, time] = this.looks.texts(box), isOver = size > titleHeight - 4;
    to.font = `600 ${size}px system-ui, sans-serif`;
    to.globalAlpha = this.looks.isFaint(box) ? .4 : 1;
    const x = box.left + 9, y = isOver ? box.top + .5 * box.height : box.top + titleHeight / 2 + 2;
    const text = this.cut(to, `− ${name}`, isOver ? wide : wide - 70);
    if (isOver) { // what is below cannot be read anyhow
      to.fillStyle = cssColor('surface');
      to.globalAlpha = .85;
      to.fillRect(box.left + 4, y - .8 * size, Math.min(box.width - 8, to.measureText(text).width + 10), 1.6 * size);
      to.globalAlpha = 1;
    }
    to.strokeStyle = cssColor('surface'); // so that a line below does not cross letters
    to.lineWidth = .3 * size;
    to.lineJoin = 'round';
    if (!isOver) to.strokeText(text, x, y);
    to.fillStyle = cssColor('text');
    to.fillText(text, x, y);
    if (isOver || !time) return;
    to.font = `${.92 * size}px system-ui, sans-serif`;
    to.fillStyle = cssColor('muted');
    to.textAlign = 'right';
    if (wide > 150) to.fillText(time, box.left + box.width - 9, y);
    to.textAlign = 'left';
  }
  drawBox(to, box) {
    const {left, top, width, height} = box, look = this.looks.look(box), isCritical = this.looks.isCritical(box);
    to.globalAlpha = this.looks.isFaint(box) ? .2 : 1;
    to.fillStyle = cssColor(look);
    to.beginPath();
    to.roundRect(left, top, width, height, 5);
    to.fill();
    if (isCritical || box === this.selected) {
      to.strokeStyle = cssColor(box === this.selected ? 'text' : 'critical');
      to.lineWidth = 3.5;
      to.stroke();
    }
    if (this.scale < .42) return;
    const [name, time] = this.looks.texts(box);
    to.fillStyle = cssColor(`on-${look}`);
    to.font = '12px system-ui, sans-serif';
    to.fillText(this.cut(to, box.inside.length > 0 ? `+ ${name}` : name, width - 14), left + 7, top + 13);
    to.font = '11px system-ui, sans-serif';
    to.fillText(this.cut(to, time, width - 14), left + 7, top + 28);
    to.globalAlpha *= .55;
    to.fillRect(left + 7, top + height - 5, Math.max(1, (width - 14) * this.looks.part(box)), 2.5);
  }
  drawLine(to, line) {
    const {from, to: end} = line, isCritical = this.looks.isLineCritical(line);
    // Down to what is below; from the side to what is in the next column.
    const isBelow = end.top >= from.top + from.height, middle = (box) => [box.left + box.width / 2, box.top + box.height / 2];
    const [x1, y1] = isBelow ? [middle(from)[0], from.top + from.height] : [from.left + from.width, middle(from)[1]], [x2, y2] = isBelow ? [middle(end)[0], end.top] : [end.left, middle(end)[1]];
    const bend = isBelow ? (y2 - y1) / 2 : Math.max(40, (x2 - x1) / 2);
    to.globalAlpha = isCritical ? 1 : .8;
    to.strokeStyle = cssColor(isCritical ? 'critical' : 'muted');
    to.lineWidth = isCritical ? 3 : 1.2;
    to.setLineDash(line.isEarly ? [5, 4] : []);
    to.beginPath();
    to.moveTo(x1, y1);
    if (isBelow) to.bezierCurveTo(x1, y1 + bend, x2, y2 - bend, x2, y2);
    else to.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    to.stroke();
    to.setLineDash([]);
    to.fillStyle = to.strokeStyle;
    to.beginPath();
    to.moveTo(x2, y2);
    to.lineTo(x2 - (isBelow ? 3.5 : 6), y2 - (isBelow ? 6 : 3.5));
    to.lineTo(x2 + (isBelow ? 3.5 : -6), y2 + (isBelow ? -6 : 3.5));
    to.fill();
  }
  cut(to, text, width) {
    if (to.measureText(text).width <= width) return text;
    let low = 0, high = text.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (to.measureText(`${text.slice(0, middle)}…`).width <= width) low = middle;
      else high = middle - 1;
    }
    return low < 2 ? '' : `${text.slice(0, low)}…`;
  }
}
