// Plots and histograms, which the page draws.
"use strict";

// Returns [values, texts, factor]: about `count` round values from low to high, and their texts, which are divided by the
// same power of ten (`factor`: its text, or ""). If `log` is true, low and high are decimal logarithms.
function ticks(low, high, count, log) {
  if (log && high - low > 1.2) {
    const step = Math.max(1, Math.ceil((high - low) / count));
    const values = [],
      texts = [];
    for (let decade = Math.ceil(low - 1e-9); decade <= high + 1e-9; decade += 1) {
      if (decade % step === 0) {
        values.push(decade);
        texts.push(Math.abs(decade) <= 3 ? numberText(10 ** decade) : `10${superscript(decade)}`);
      }
    }
    return [values, texts, ""];
  }
  const [from, to] = log ? [10 ** low, 10 ** high] : [low, high];
  const rough = (to - from) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.7) * power;
  const most = Math.max(Math.abs(from), Math.abs(to));
  let exponent = Math.floor(Math.log10(most));
  if (exponent < 7 && exponent > -4) exponent = 0;
  const decimals = clamp(exponent - Math.floor(Math.log10(step) + 1e-9), 0, 15);
  const values = [],
    texts = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i += 1) {
    values.push(log ? Math.log10(i * step) : i * step);
    texts.push(fixedText((i * step) / 10 ** exponent, decimals).replace(/^-(0(\.0*)?)$/, "$1"));
  }
  return [values, texts, exponent ? `×10${superscript(exponent)}` : ""];
}

function superscript(number) {
  return [...String(number)].map((digit) => (digit === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit])).join("");
}

// A chart has axes, a grid, a zoom, and shows values at the pointer. A subclass has `axes`, `read`, `extent`, `paint`,
// `positions`, `near`, `csv` and `alternative`. Ranges of logarithmic axes are decimal logarithms.
class Chart extends Panel {
  build() {
    this.stage(
      "chart",
      "Plus and minus zoom, 0 shows all, the arrow keys move the view. With Shift the left and right arrow keys move a " +
        "cursor, whose values are read.",
    );
    this.area.classList.add("chart");
    this.log = {x: false, y: false};
    this.logButtons = {};
    for (const axis of this.axes) {
      this.logButtons[axis] = this.tool(`log ${axis}`, `Logarithmic ${axis} axis`, () => {
        this.log[axis] = !this.log[axis];
        this.chosen = true;
        this.zoomTo(null, null);
      });
    }
    this.tool("minus", "Zoom out", () => this.zoomBy(2, 0.5));
    this.tool("plus", "Zoom in", () => this.zoomBy(0.5, 0.5));
    this.tool("fit", "Show all", () => this.zoomTo(null, null));
    this.tool("data", "Save data", () => download(new Blob([this.csv()], {type: "text/csv"}), this.fileName("csv")));
    this.tool("save", "Save image", () => this.save());
    this.listen();
  }

  receive(header, payload) {
    this.pending = {header, payload};
    redraw(this);
  }

  // Reads the newest message.
  take() {
    if (!this.pending) return;
    const {header, payload} = this.pending;
    this.pending = null;
    this.header = header;
    if (!this.chosen) {
      const log = header.log === true ? "y" : header.log || "";
      this.log = {x: this.axes.includes("x") && log.includes("x"), y: log.includes("y")};
    }
    this.read(header, new Float64Array(payload.slice().buffer));
    this.note.hidden = true;
  }

  listen() {
    const {canvas} = this;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !this.frame) return;
      canvas.focus({focusVisible: false});
      if (event.pointerType === "touch") return;
      canvas.setPointerCapture(event.pointerId);
      const point = this.pixels(event);
      this.drag = event.shiftKey ? {pan: point, x: this.range.x, y: this.range.y} : {box: [point, point]};
    });
    canvas.addEventListener("pointermove", (event) => {
      const point = this.pixels(event);
      if (this.drag?.pan) {
        const {left, top, right, bottom} = this.frame;
        const {pan, x, y} = this.drag;
        const dx = ((point[0] - pan[0]) / (right - left)) * (x[1] - x[0]),
          dy = ((point[1] - pan[1]) / (bottom - top)) * (y[1] - y[0]);
        this.zoomTo([x[0] - dx, x[1] - dx], [y[0] + dy, y[1] + dy]);
      } else if (this.drag) {
        this.drag.box[1] = point;
      }
      this.hover = point;
      this.cursor = null;
      redraw(this);
    });
    const end = (event) => {
      const box = this.drag?.box;
      this.drag = null;
      if (box && event.type === "pointerup") {
        const [a, b] = box.map((point) => this.toData(point));
        const wide = Math.abs(box[0][0] - box[1][0]) > 6 * devicePixelRatio,
          high = Math.abs(box[0][1] - box[1][1]) > 6 * devicePixelRatio;
        const order = (p, q) => [Math.min(p, q), Math.max(p, q)];
        if (wide || high) this.zoomTo(wide ? order(a[0], b[0]) : this.zoomX, high ? order(a[1], b[1]) : this.zoomY);
      }
      redraw(this);
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("pointerleave", () => {
      this.hover = null;
      redraw(this);
    });
    canvas.addEventListener("dblclick", () => this.zoomTo(null, null));
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (!this.frame || !wheelZooms(event, this)) return;
        const [x, y] = this.pixels(event);
        const {left, top, right, bottom} = this.frame;
        if (event.shiftKey) this.zoomBy(2 ** (wheelSteps(event) / 2), clamp((bottom - y) / (bottom - top), 0, 1), "y");
        else this.zoomBy(2 ** (wheelSteps(event) / 2), clamp((x - left) / (right - left), 0, 1));
      },
      {passive: false},
    );
    canvas.addEventListener("keydown", (event) => {
      if (!this.frame || event.ctrlKey || event.metaKey || event.altKey) return;
      const arrows = {ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0]};
      const arrow = arrows[event.key];
      if (arrow && event.shiftKey) {
        this.step(arrow[0]);
      } else if (arrow) {
        const {x, y} = this.range;
        const dx = (arrow[0] * (x[1] - x[0])) / 8,
          dy = (arrow[1] * (y[1] - y[0])) / 8;
        if (this.zoomX && dx) this.zoomTo([x[0] + dx, x[1] + dx], this.zoomY);
        else if (this.zoomY && dy) this.zoomTo(this.zoomX, [y[0] + dy, y[1] + dy]);
        else if (!this.zoomX && !this.zoomY) return;
      } else if (event.key === "+" || event.key === "=") this.zoomBy(0.5 ** 0.5, 0.5);
      else if (event.key === "-") this.zoomBy(2 ** 0.5, 0.5);
      else if (event.key === "0") this.zoomTo(null, null);
      else return;
      event.preventDefault();
    });
    canvas.addEventListener("blur", () => {
      this.cursor = null;
      redraw(this);
    });
  }

  pixels(event) {
    const [x, y] = this.fraction(event);
    return [x * this.canvas.width, y * this.canvas.height];
  }

  toData([px, py]) {
    const {left, top, right, bottom} = this.frame;
    const {x, y} = this.range;
    return [
      x[0] + ((clamp(px, left, right) - left) / (right - left)) * (x[1] - x[0]),
      y[0] + ((bottom - clamp(py, top, bottom)) / (bottom - top)) * (y[1] - y[0]),
    ];
  }

  toX(x) {
    const {left, right} = this.frame;
    return left + ((x - this.range.x[0]) / (this.range.x[1] - this.range.x[0])) * (right - left);
  }

  toY(y) {
    const {top, bottom} = this.frame;
    return bottom - ((y - this.range.y[0]) / (this.range.y[1] - this.range.y[0])) * (bottom - top);
  }

  zoomTo(x, y) {
    this.zoomX = x && x[1] > x[0] ? x : null;
    this.zoomY = y && y[1] > y[0] ? y : null;
    redraw(this);
  }

  zoomBy(factor, at, axis = "x") {
    if (!this.frame) return;
    const [low, high] = this.range[axis];
    const center = low + at * (high - low);
    const next = [center - (center - low) * factor, center + (high - center) * factor];
    if (next[1] - next[0] < 1e-12 * Math.max(Math.abs(next[0]), Math.abs(next[1]))) return;
    // A view that shows everything follows the data again.
    const all = this.extent(axis === "x" ? null : this.range.x)[axis];
    const fits = factor > 1 && all && next[0] <= all[0] && next[1] >= all[1];
    if (axis === "x") this.zoomTo(fits ? null : next, this.zoomY);
    else this.zoomTo(this.zoomX, fits ? null : next);
  }

  // Moves the cursor of the keyboard to the next point.
  step(direction) {
    const points = this.positions().filter((x) => x >= this.range.x[0] && x <= this.range.x[1]);
    if (!points.length || !direction) return;
    let i =
      this.cursor === null || this.cursor === undefined
        ? direction > 0
          ? -1
          : points.length
        : points.findIndex((x) => x >= this.cursor);
    if (i < 0 && this.cursor !== null && this.cursor !== undefined) i = points.length;
    this.cursor = points[clamp(i + direction, 0, points.length - 1)];
    this.hover = null;
    const found = this.near(this.cursor);
    if (found) announce([found.title, ...found.rows.map((row) => `${row.name} ${row.text}`)].join(", "));
    redraw(this);
  }

  draw() {
    this.take();
    for (const axis of this.axes) this.logButtons[axis].setAttribute("aria-pressed", String(this.log[axis]));
    const {canvas, context, header} = this;
    if (!header || canvas.width < 2) return;
    const all = this.extent(this.zoomX);
    const x = this.zoomX ?? all.x ?? [0, 1],
      y = this.zoomY ?? all.y ?? [0, 1];
    this.range = {x, y};
    const pixel = devicePixelRatio;
    context.clearRect(0, 0, canvas.width, canvas.height);
    const family = getComputedStyle(this.node).fontFamily;
    context.font = `${12 * pixel}px ${family}`;
    context.textBaseline = "middle";
    const bottom = canvas.height - (header.xlabel ? 44 : 28) * pixel;
    const [yTicks, yTexts, yFactor] = ticks(...y, clamp(Math.floor(bottom / (42 * pixel)), 2, 8), this.log.y);
    const top = (yFactor ? 26 : 14) * pixel;
    const widest = Math.max(0, ...yTexts.map((text) => context.measureText(text).width));
    const left = widest + (header.ylabel ? 36 : 16) * pixel;
    const right = canvas.width - 16 * pixel;
    this.frame = {left, right, top, bottom};
    const [xTicks, xTexts, xFactor] = ticks(...x, clamp(Math.floor((right - left) / (70 * pixel)), 2, 10), this.log.x);
    // Grid and texts
    context.lineWidth = Math.max(1, Math.round(pixel));
    context.strokeStyle = color("grid");
    context.fillStyle = color("muted");
    const line = (x0, y0, x1, y1) => {
      const half = (context.lineWidth % 2) / 2;
      context.beginPath();
      context.moveTo(Math.round(x0) + half, Math.round(y0) + half);
      context.lineTo(Math.round(x1) + half, Math.round(y1) + half);
      context.stroke();
    };
    context.textAlign = "right";
    yTicks.forEach((value, i) => {
      line(left, this.toY(value), right, this.toY(value));
      context.fillText(yTexts[i], left - 7 * pixel, this.toY(value));
    });
    context.textAlign = "center";
    xTicks.forEach((value, i) => {
      const at = this.toX(value),
        half = context.measureText(xTexts[i]).width / 2;
      line(at, top, at, bottom);
      context.fillText(xTexts[i], Math.min(at, canvas.width - half - 4 * pixel), bottom + 14 * pixel);
    });
    context.strokeStyle = color("strong-line");
    line(left, bottom, right, bottom);
    context.textAlign = "left";
    if (yFactor) context.fillText(yFactor, left, 12 * pixel);
    if (header.xlabel || xFactor) {
      context.textAlign = header.xlabel ? "center" : "right";
      context.fillText(
        [header.xlabel, xFactor].filter(Boolean).join("  "),
        header.xlabel ? (left + right) / 2 : right,
        canvas.height - (header.xlabel ? 12 : 4) * pixel,
      );
    }
    if (header.ylabel) {
      context.save();
      context.translate(13 * pixel, (top + bottom) / 2);
      context.rotate(-Math.PI / 2);
      context.textAlign = "center";
      context.fillText(header.ylabel, 0, 0);
      context.restore();
    }
    context.save();
    context.beginPath();
    context.rect(left, top - 2 * pixel, right - left, bottom - top + 4 * pixel);
    context.clip();
    this.paint(context, pixel);
    if (this.drag?.box) {
      const [[x0, y0], [x1, y1]] = this.drag.box;
      context.fillStyle = context.strokeStyle = color("accent");
      context.globalAlpha = 0.15;
      context.fillRect(x0, y0, x1 - x0, y1 - y0);
      context.globalAlpha = 1;
      context.strokeRect(x0, y0, x1 - x0, y1 - y0);
    }
    context.restore();
    this.drawHover(context, pixel, line);
  }

  // Draws the values at the pointer or at the cursor of the keyboard.
  drawHover(context, pixel, line) {
    const {left, right, top, bottom} = this.frame;
    let at = this.cursor;
    if (this.hover && !this.drag) {
      if (this.hover[0] < left || this.hover[0] > right) return;
      at = this.toData(this.hover)[0];
    }
    if (at === null || at === undefined) return;
    const found = this.near(at);
    if (!found) return;
    const px = this.toX(found.x);
    if (px < left - 1 || px > right + 1) return;
    context.strokeStyle = color("strong-line");
    line(px, top, px, bottom);
    for (const row of found.rows) {
      if (row.y === undefined) continue;
      context.fillStyle = row.color;
      context.beginPath();
      context.arc(px, this.toY(row.y), 4 * pixel, 0, 2 * Math.PI);
      context.fill();
    }
    const texts = [found.title, ...found.rows.map((row) => `${row.name}  ${row.text}`)];
    const width =
      Math.max(...texts.map((text) => context.measureText(text).width)) + (found.rows.length ? 32 : 18) * pixel;
    const height = (texts.length * 18 + 10) * pixel;
    const x = px + 12 * pixel + width > right ? Math.max(left, px - 12 * pixel - width) : px + 12 * pixel;
    const y = clamp((this.hover?.[1] ?? top) - height / 2, top, Math.max(top, bottom - height));
    context.fillStyle = color("surface");
    context.strokeStyle = color("line");
    context.beginPath();
    context.roundRect(x, y, width, height, 6 * pixel);
    context.fill();
    context.stroke();
    context.textAlign = "left";
    texts.forEach((text, i) => {
      const middle = y + (14 + i * 18) * pixel;
      if (i > 0) {
        context.fillStyle = found.rows[i - 1].color;
        context.fillRect(x + 10 * pixel, middle - 1.5 * pixel, 10 * pixel, 3 * pixel);
      }
      context.fillStyle = color(i === 0 ? "muted" : "text");
      context.fillText(text, x + (i === 0 ? 10 : 26) * pixel, middle);
    });
  }

  save() {
    const copy = document.createElement("canvas");
    copy.width = this.canvas.width;
    copy.height = this.canvas.height;
    const context = copy.getContext("2d");
    context.fillStyle = color("surface");
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(this.canvas, 0, 0);
    copy.toBlob((blob) => download(blob, this.fileName("png")));
  }
}

// Returns [low, high] with some space, or null if there is no number.
function padded(low, high, part) {
  if (!(low <= high)) return null;
  if (low === high) {
    const space = low === 0 ? 1 : Math.abs(low) * 0.1;
    return [low - space, high + space];
  }
  const space = (high - low) * part;
  return [low - space, high + space];
}

class PlotPanel extends Chart {
  get axes() {
    return ["x", "y"];
  }

  build() {
    super.build();
    this.hiddenSeries = new Set();
    this.legend = element("ul", {className: "legend", "aria-label": `Series of ${this.name}`});
    this.node.append(this.legend);
  }

  read(header, numbers) {
    let offset = 0;
    this.series = header.series.map(({name, n}, i) => {
      const x = numbers.subarray(offset, offset + n),
        y = numbers.subarray(offset + n, offset + 2 * n);
      offset += 2 * n;
      let sorted = true;
      for (let k = 1; k < n && sorted; k += 1) sorted = x[k] >= x[k - 1];
      return {name, x, y, sorted, color: `series-${(i % 8) + 1}`};
    });
    this.showLegend();
  }

  showLegend() {
    const names = JSON.stringify(this.series.map(({name}) => name));
    if (names !== this.listed) {
      this.listed = names;
      this.values = this.series.map(() => element("b"));
      this.legend.replaceChildren(
        ...this.series.map(({name, color: paint}, i) => {
          const mark = element("i");
          const button = element(
            "button",
            {
              type: "button",
              "aria-pressed": String(!this.hiddenSeries.has(name)),
              click: () => {
                if (!this.hiddenSeries.delete(name)) this.hiddenSeries.add(name);
                button.setAttribute("aria-pressed", String(!this.hiddenSeries.has(name)));
                redraw(this);
              },
            },
            mark,
            element("span", {}, name, " ", this.values[i]),
          );
          button.style.color = `var(--${paint})`;
          return element("li", {}, button);
        }),
      );
    }
    this.series.forEach(({y}, i) => setText(this.values[i], y.length ? numberText(y[y.length - 1], 5) : ""));
  }

  get visible() {
    return this.series.filter(({name}) => !this.hiddenSeries.has(name));
  }

  scale(value, axis) {
    return this.log[axis] ? (value > 0 ? Math.log10(value) : NaN) : value;
  }

  extent(window) {
    let x0 = Infinity,
      x1 = -Infinity,
      y0 = Infinity,
      y1 = -Infinity;
    for (const {x, y} of this.visible) {
      for (let i = 0; i < x.length; i += 1) {
        const px = this.scale(x[i], "x"),
          py = this.scale(y[i], "y");
        if (!Number.isFinite(px) || !Number.isFinite(py)) continue;
        if (px < x0) x0 = px;
        if (px > x1) x1 = px;
        if (window && (px < window[0] || px > window[1])) continue;
        if (py < y0) y0 = py;
        if (py > y1) y1 = py;
      }
    }
    return {x: x0 < x1 ? [x0, x1] : padded(x0, x1, 0), y: padded(y0, y1, 0.06)};
  }

  paint(context, pixel) {
    context.lineJoin = "round";
    for (const {x, y, color: paint, sorted} of this.visible) {
      context.strokeStyle = context.fillStyle = color(paint);
      context.lineWidth = 1.8 * pixel;
      context.beginPath();
      // Many points in one column of pixels are drawn as one vertical line.
      const dense = sorted && x.length > 3 * this.canvas.width;
      let pen = false,
        count = 0,
        column = NaN,
        low = 0,
        high = 0,
        last = 0;
      const dots = [];
      const flush = () => {
        if (Number.isNaN(column)) return;
        context.lineTo(column, low);
        context.lineTo(column, high);
        context.lineTo(column, last);
        column = NaN;
      };
      for (let i = 0; i <= x.length; i += 1) {
        const px = i < x.length ? this.toX(this.scale(x[i], "x")) : NaN,
          py = i < x.length ? this.toY(this.scale(y[i], "y")) : NaN;
        if (!Number.isFinite(px) || !Number.isFinite(py)) {
          flush();
          if (count === 1) dots.push(i - 1);
          pen = false;
          count = 0;
          continue;
        }
        count += 1;
        if (!pen) context.moveTo(px, py);
        else if (!dense) context.lineTo(px, py);
        else if (Math.round(px) === column) {
          low = Math.min(low, py);
          high = Math.max(high, py);
          last = py;
          continue;
        } else {
          flush();
          column = Math.round(px);
          low = high = last = py;
        }
        pen = true;
      }
      context.stroke();
      for (const i of dots) {
        context.beginPath();
        context.arc(this.toX(this.scale(x[i], "x")), this.toY(this.scale(y[i], "y")), 2.5 * pixel, 0, 2 * Math.PI);
        context.fill();
      }
    }
  }

  positions() {
    const all = new Set();
    for (const {x} of this.visible) for (const value of x) all.add(this.scale(value, "x"));
    return [...all].filter(Number.isFinite).sort((a, b) => a - b);
  }

  near(at) {
    let best = null;
    const index = this.visible.map(({x, y}) => {
      let found = -1,
        least = Infinity;
      for (let i = 0; i < x.length; i += 1) {
        const distance = Math.abs(this.scale(x[i], "x") - at);
        if (distance <= least && Number.isFinite(this.scale(y[i], "y"))) {
          least = distance;
          found = i;
        }
      }
      if (found >= 0 && (best === null || least < best.least)) best = {least, x: x[found]};
      return found;
    });
    if (best === null) return null;
    const rows = [];
    this.visible.forEach(({name, x, y, color: paint}, k) => {
      const i = index[k];
      if (i >= 0 && x[i] === best.x)
        rows.push({name, text: numberText(y[i]), y: this.scale(y[i], "y"), color: color(paint)});
    });
    return {x: this.scale(best.x, "x"), title: `${this.header.xlabel || "x"} ${numberText(best.x)}`, rows};
  }

  csv() {
    const quote = (text) => `"${String(text).replaceAll('"', '""')}"`;
    const lines = ["series,x,y"];
    for (const {name, x, y} of this.series ?? [])
      x.forEach((value, i) => lines.push(`${quote(name)},${value},${y[i]}`));
    return lines.join("\n") + "\n";
  }

  alternative() {
    if (!this.series) return `${this.name}, no points yet`;
    const parts = this.series.map(({name, y}) => {
      const finite = y.filter(Number.isFinite);
      return finite.length
        ? `${name}: last ${numberText(finite[finite.length - 1], 4)}, from ${numberText(
            finite.reduce((a, b) => Math.min(a, b)),
            4,
          )} to ${numberText(
            finite.reduce((a, b) => Math.max(a, b)),
            4,
          )}`
        : `${name}: no points`;
    });
    return `${this.name}, line chart. ${parts.join(". ")}`;
  }
}

class HistogramPanel extends Chart {
  get axes() {
    return ["y"];
  }

  read(header, numbers) {
    this.counts = numbers;
    this.step = (header.max - header.min) / numbers.length;
    this.total = numbers.reduce((a, b) => a + b, 0);
  }

  edge(i) {
    return this.header.min + ((this.header.max - this.header.min) * i) / this.counts.length;
  }

  extent(window) {
    const {min, max} = this.header;
    let most = 0,
      least = Infinity;
    this.counts.forEach((count, i) => {
      if (window && (this.edge(i + 1) < window[0] || this.edge(i) > window[1])) return;
      most = Math.max(most, count);
      if (count > 0) least = Math.min(least, count);
    });
    const y = this.log.y
      ? [Math.log10(Math.min(least, most || 1)) - 0.3, Math.log10(most || 1) + 0.1]
      : [0, (most || 1) * 1.06];
    return {x: min < max ? [min, max] : padded(min, max, 0), y};
  }

  bar(i) {
    return this.log.y ? (this.counts[i] > 0 ? Math.log10(this.counts[i]) : -Infinity) : this.counts[i];
  }

  paint(context, pixel) {
    context.fillStyle = color("series-1");
    const base = this.frame.bottom;
    const gap = this.toX(this.edge(1)) - this.toX(this.edge(0)) > 5 * pixel ? pixel : 0;
    this.counts.forEach((count, i) => {
      const left = this.toX(this.edge(i)),
        right = this.toX(this.edge(i + 1));
      const top = Math.max(this.toY(this.bar(i)), -base);
      if (count > 0 && top < base) context.fillRect(left, top, Math.max(right - left - gap, 0.5), base - top);
    });
  }

  positions() {
    return Array.from(this.counts, (_, i) => (this.edge(i) + this.edge(i + 1)) / 2);
  }

  near(at) {
    const n = this.counts.length,
      {min, max} = this.header;
    if (!n) return null;
    const i = clamp(Math.floor(((at - min) / (max - min)) * n) || 0, 0, n - 1);
    const share = this.total ? ` (${numberText((this.counts[i] / this.total) * 100, 3)} %)` : "";
    return {
      x: (this.edge(i) + this.edge(i + 1)) / 2,
      title: `${numberText(this.edge(i), 4)} to ${numberText(this.edge(i + 1), 4)}`,
      rows: [{name: "count", text: numberText(this.counts[i]) + share, color: color("series-1")}],
    };
  }

  csv() {
    return (
      [
        "from,to,count",
        ...Array.from(this.counts ?? [], (count, i) => `${this.edge(i)},${this.edge(i + 1)},${count}`),
      ].join("\n") + "\n"
    );
  }

  alternative() {
    if (!this.counts) return `${this.name}, no data yet`;
    const mode = this.counts.indexOf(Math.max(...this.counts));
    const text = (value) => numberText(value, 4);
    const {min, max} = this.header;
    return (
      `${this.name}, histogram. ${numberText(this.total)} values in ${this.counts.length} bins from ${text(min)} to ` +
      `${text(max)}; most between ${text(this.edge(mode))} and ${text(this.edge(mode + 1))}`
    );
  }
}
