// Panels of images and of meshes, which the server renders.
"use strict";

// A panel of encoded images. One image is decoded at a time, and only the newest is decoded next.
class BitmapPanel extends Panel {
  receive(header, payload) {
    this.pending = {header, payload};
    this.decode();
  }

  async decode() {
    if (this.decoding || !this.pending || document.hidden) return;
    this.decoding = true;
    const {header, payload} = this.pending;
    this.pending = null;
    try {
      const blob = new Blob([payload], {type: header.mime});
      const bitmap = await createImageBitmap(blob);
      this.bitmap?.close();
      this.bitmap = bitmap;
      this.blob = blob;
      this.header = header;
      this.note.hidden = true;
      this.arrived();
      redraw(this);
    } catch {
      this.note.hidden = false;
      setText(this.note, "this frame could not be decoded");
    }
    this.decoding = false;
    this.decode();
  }

  // Makes the canvas as wide as the panel, but not higher than most of the window. `ratio`: width divided by height.
  shapeCanvas(ratio) {
    this.canvas.style.aspectRatio = String(ratio);
    this.canvas.style.width = `min(100%, calc(78vh * ${ratio}))`;
  }

  resized(width, height) {
    clearTimeout(this.sizeTimer);
    this.sizeTimer = setTimeout(() => this.tellSize(width, height), 250);
  }

  // Tells the server how many pixels the panel has.
  tellSize(width = this.canvas.width, height = this.canvas.height) {
    if (width > 1 && session.steer) steer("size", this.name, Math.min(width, 8192), Math.min(height, 8192));
  }

  steering() {
    clearTimeout(this.sizeTimer);
    if (session.steer) this.sizeTimer = setTimeout(() => this.tellSize(), 50);
  }

  save() {
    if (this.blob) download(this.blob, this.fileName(this.header.mime === "image/jpeg" ? "jpg" : "png"));
  }

  close() {
    super.close();
    clearTimeout(this.sizeTimer);
    this.bitmap?.close();
    this.bitmap = null;
  }
}

class ImagePanel extends BitmapPanel {
  build() {
    this.stage(
      "image",
      "Plus and minus zoom, 0 shows all, the arrow keys move the view. With Shift the arrow keys move a cursor, and " +
        "Enter presses and releases at the cursor. Other keys are sent to the script.",
    );
    this.tool("minus", "Zoom out", () => this.zoom(2));
    this.tool("plus", "Zoom in", () => this.zoom(0.5));
    this.tool("fit", "Show all", () => this.fit());
    this.tool("save", "Save image", () => this.save());
    this.readout = element("p", {className: "readout"});
    this.low = element("span");
    this.high = element("span");
    this.map = element("span");
    this.scale = element("canvas", {width: 256, height: 1, role: "img"});
    this.bar = element("div", {className: "bar", hidden: true}, this.low, this.scale, this.high, this.map);
    this.node.append(element("div", {className: "bottom"}, this.readout, this.bar));
    this.buttons = 0;
    this.sentMove = -Infinity;
    this.fingers = new Map(); // of a touch screen: identifiers -> positions
    this.listen();
  }

  get whole() {
    return [1, 1, this.header.height, this.header.width];
  }
  get zoomed() {
    return this.view && (this.view[2] < this.header.height || this.view[3] < this.header.width);
  }

  arrived() {
    const {header} = this;
    const size = `${header.width} ${header.height}`;
    if (size !== this.shape) {
      this.shape = size;
      this.view = null;
      const ratio = clamp(header.width / header.height, 0.4, 8);
      this.shapeCanvas(ratio);
    }
    // Another browser may have changed the view of the server. This browser follows unless it has just changed the view
    // itself.
    const part = header.view ?? this.whole;
    if (!this.view || (!this.covered(part) && performance.now() - (this.viewed ?? -Infinity) > 1000))
      this.view = part.slice();
    this.bar.hidden = !header.colors;
    if (header.colors) {
      setText(this.low, numberText(header.min, 4));
      setText(this.high, numberText(header.max, 4));
      setText(this.map, header.colormap ?? "");
      const key = header.colors.join();
      if (key !== this.barKey) {
        this.barKey = key;
        const context = this.scale.getContext("2d");
        const gradient = context.createLinearGradient(0.5, 0, 255.5, 0);
        header.colors.forEach((text, i) => gradient.addColorStop(i / (header.colors.length - 1), text));
        context.fillStyle = gradient;
        context.fillRect(0, 0, 256, 1);
      }
      this.scale.setAttribute(
        "aria-label",
        `color map ${header.colormap ?? ""} from ${this.low.textContent} to ${this.high.textContent}`,
      );
    }
    this.read();
  }

  // Returns whether a part of the stream is the view of this browser, extended to whole elements. A browser that does not
  // steer may show less.
  covered([row, column, rows, columns]) {
    const [top, left, high, wide] = this.view;
    const outside = [top - row, left - column, row + rows - top - high, column + columns - left - wide];
    return outside.every((space) => space > -1e-3) && (this.local || outside.every((space) => space < 1.001));
  }

  draw() {
    const {canvas, context, bitmap, header} = this;
    if (!bitmap) return;
    const [row, column, rows, columns] = this.view;
    const [partRow, partColumn, partRows, partColumns] = header.view ?? this.whole;
    // The part of the bitmap that the view covers, and where it is in the canvas.
    const top = Math.max(row, partRow),
      bottom = Math.min(row + rows, partRow + partRows);
    const left = Math.max(column, partColumn),
      right = Math.min(column + columns, partColumn + partColumns);
    context.fillStyle = color("backdrop");
    context.fillRect(0, 0, canvas.width, canvas.height);
    if (bottom > top && right > left) {
      const x = bitmap.width / partColumns,
        y = bitmap.height / partRows;
      const toX = canvas.width / columns,
        toY = canvas.height / rows;
      // Small elements are interpolated, large ones have sharp edges.
      context.imageSmoothingEnabled = toX < 2.5 * x;
      context.imageSmoothingQuality = "high";
      context.drawImage(
        bitmap,
        (left - partColumn) * x,
        (top - partRow) * y,
        (right - left) * x,
        (bottom - top) * y,
        (left - column) * toX,
        (top - row) * toY,
        (right - left) * toX,
        (bottom - top) * toY,
      );
    }
    this.drawCursor();
  }

  // Draws the frame of the element under the pointer if elements are large, and the cursor of the keyboard.
  drawCursor() {
    const {canvas, context} = this;
    const [row, column, rows, columns] = this.view;
    const toX = canvas.width / columns,
      toY = canvas.height / rows;
    const pixel = window.devicePixelRatio;
    const outline = (path) => {
      context.lineWidth = 3 * pixel;
      context.strokeStyle = "rgb(0 0 0 / 0.7)";
      context.stroke(path);
      context.lineWidth = pixel;
      context.strokeStyle = "#fff";
      context.stroke(path);
    };
    if (this.at && !this.cursor && Math.min(toX, toY) >= 7 * pixel) {
      const path = new Path2D();
      path.rect((Math.round(this.at[1]) - column) * toX, (Math.round(this.at[0]) - row) * toY, toX, toY);
      outline(path);
    }
    if (this.cursor && document.activeElement === canvas) {
      const x = (this.cursor[1] - column + 0.5) * toX,
        y = (this.cursor[0] - row + 0.5) * toY,
        r = 9 * pixel;
      const path = new Path2D();
      for (const [dx, dy] of [
        [1, 0],
        [-1, 0],
        [0, 1],
        [0, -1],
      ]) {
        path.moveTo(x + dx * 3 * pixel, y + dy * 3 * pixel);
        path.lineTo(x + dx * r, y + dy * r);
      }
      outline(path);
    }
  }

  // Returns the indices (row, column) at the position of a pointer event.
  position(event) {
    const [x, y] = this.fraction(event);
    const [row, column, rows, columns] = this.view;
    return [row - 0.5 + y * rows, column - 0.5 + x * columns];
  }

  inside([row, column]) {
    return [clamp(row, 0.5, this.header.height + 0.5), clamp(column, 0.5, this.header.width + 0.5)];
  }

  listen() {
    const {canvas} = this;
    const pointer = (event) => {
      if (!this.header || this.pinch(event)) return;
      const at = this.position(event);
      if (event.type === "pointerdown") {
        canvas.focus({focusVisible: false});
        canvas.setPointerCapture(event.pointerId);
        this.cursor = null;
        if (event.button === 1 || (event.button === 0 && event.shiftKey)) {
          this.pan = {at, x: event.clientX, y: event.clientY, view: this.view.slice()};
          canvas.classList.add("panning");
          event.preventDefault();
          return;
        }
      }
      if (this.pan) {
        const box = canvas.getBoundingClientRect();
        const [row, column, rows, columns] = this.pan.view;
        this.setView([
          row - ((event.clientY - this.pan.y) / box.height) * rows,
          column - ((event.clientX - this.pan.x) / box.width) * columns,
          rows,
          columns,
        ]);
        if (event.buttons === 0) {
          this.pan = null;
          canvas.classList.remove("panning");
        }
        return;
      }
      this.at = this.inside(at);
      const buttons = event.type === "pointercancel" ? 0 : event.buttons;
      const pressed = buttons & ~this.buttons,
        released = this.buttons & ~buttons;
      this.buttons = buttons;
      if (pressed) this.pointerEvent("press", this.at, buttons);
      else if (released) this.pointerEvent("release", at, buttons);
      else this.moved(buttons ? at : this.at, buttons);
      this.probe();
      this.read();
      redraw(this);
    };
    for (const name of ["pointerdown", "pointermove", "pointerup", "pointercancel"])
      canvas.addEventListener(name, pointer);
    // This event comes before the next frame of the display, at which pointermove comes.
    canvas.addEventListener("pointerrawupdate", (event) => {
      if (!this.header || this.pan || event.pointerType === "touch" || event.buttons !== this.buttons) return;
      const at = this.position(event);
      this.moved(event.buttons ? at : this.inside(at), event.buttons);
    });
    canvas.addEventListener("pointerleave", () => {
      if (this.buttons) return;
      this.at = null;
      this.flushMove();
      steer("probe", this.name, 0, 0);
      this.read();
      redraw(this);
    });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (!this.header || !wheelZooms(event, this)) return;
        this.zoom(2 ** (wheelSteps(event) / 2), this.position(event));
      },
      {passive: false},
    );
    canvas.addEventListener("keydown", (event) => this.key(event, "press"));
    canvas.addEventListener("keyup", (event) => this.key(event, "release"));
    for (const name of ["focus", "blur"]) canvas.addEventListener(name, () => redraw(this));
  }

  // Zooms and moves the view with two fingers. Returns whether it uses the event.
  pinch(event) {
    if (event.pointerType !== "touch") return false;
    const {fingers} = this;
    if (event.type === "pointerdown") fingers.set(event.pointerId, null);
    if (!fingers.has(event.pointerId)) return false;
    const before = [...fingers.values()];
    const lifted = event.type === "pointerup" || event.type === "pointercancel";
    fingers.set(event.pointerId, this.fraction(event));
    if (lifted) fingers.delete(event.pointerId);
    if (event.type === "pointerdown" && fingers.size === 2 && this.buttons) {
      this.pointerEvent("release", this.at, 0);
      this.buttons = 0;
    }
    if (fingers.size === 2 && before.length === 2 && before.every(Boolean) && !lifted) {
      const middle = ([a, b]) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2],
        span = ([a, b]) => Math.hypot(a[0] - b[0], a[1] - b[1]);
      const after = [...fingers.values()];
      const [x0, y0] = middle(before),
        [x1, y1] = middle(after);
      const [row, column, rows, columns] = this.view;
      this.setView([row - (y1 - y0) * rows, column - (x1 - x0) * columns, rows, columns]);
      this.zoom(span(before) / Math.max(span(after), 0.01), [
        this.view[0] - 0.5 + y1 * rows,
        this.view[1] - 0.5 + x1 * columns,
      ]);
    }
    // The second finger and the rest of the gesture are not events for the script.
    const pinching = this.pinching || fingers.size > 1;
    this.pinching = fingers.size > 0 && pinching;
    return pinching;
  }

  pointerEvent(type, [row, column], buttons) {
    this.flushMove();
    this.lastMove = "";
    steer("pointer", this.name, type, row.toFixed(4), column.toFixed(4), buttons);
  }

  // Sends a move, at most every 8 milliseconds.
  moved(at, buttons) {
    this.move = [at, buttons];
    const rest = this.sentMove + 8 - performance.now();
    if (rest <= 0) this.flushMove();
    else this.moveTimer ||= setTimeout(() => this.flushMove(), rest);
  }

  flushMove() {
    clearTimeout(this.moveTimer);
    this.moveTimer = 0;
    if (!this.move) return;
    const [[row, column], buttons] = this.move;
    this.move = null;
    const fields = [buttons ? "drag" : "move", row.toFixed(4), column.toFixed(4), buttons];
    // pointermove repeats the position of pointerrawupdate.
    if (fields.join() === this.lastMove) return;
    this.lastMove = fields.join();
    this.sentMove = performance.now();
    steer("pointer", this.name, ...fields);
  }

  // Requests the value under the pointer, at most ten times a second.
  probe() {
    if (this.probing || !this.at) return;
    this.probing = setTimeout(() => {
      this.probing = 0;
      if (this.at) steer("probe", this.name, this.at[0].toFixed(4), this.at[1].toFixed(4));
    }, 100);
  }

  // Shows the position and the value under the pointer, or the part that is shown.
  read() {
    if (!this.header) return;
    const {at, header} = this;
    let text = `${header.height} rows, ${header.width} columns`;
    let strong = "";
    if (at) {
      const row = clamp(Math.round(at[0]), 1, header.height),
        column = clamp(Math.round(at[1]), 1, header.width);
      text = `row ${row}, column ${column}`;
      const {value} = header;
      if (value && Math.round(value.row) === row && Math.round(value.column) === column)
        this.valueAt = {row, column, text: value.text};
      if (this.valueAt && this.valueAt.row === row && this.valueAt.column === column) strong = this.valueAt.text;
    } else if (this.zoomed) {
      const [row, column, rows, columns] = this.view;
      const range = (first, count) => `${Math.ceil(first - 0.5 + 1e-9)}–${Math.floor(first + count - 0.5)}`;
      text = `rows ${range(row, rows)}, columns ${range(column, columns)}`;
    }
    if (this.reading === text + strong) return;
    this.reading = text + strong;
    this.readout.replaceChildren(strong ? `${text}: ` : text, ...(strong ? [element("b", {}, strong)] : []));
  }

  setView(view) {
    const {height, width} = this.header;
    const rows = clamp(view[2], Math.min(4, height), height),
      columns = clamp(view[3], Math.min(4, width), width);
    this.view = [clamp(view[0], 1, height - rows + 1), clamp(view[1], 1, width - columns + 1), rows, columns];
    this.viewed = performance.now();
    this.local = !session.steer;
    if (!this.viewRequested) {
      this.viewRequested = true;
      requestAnimationFrame(() => {
        this.viewRequested = false;
        steer("view", this.name, ...this.view.map((value) => value.toFixed(4)));
      });
    }
    this.read();
    redraw(this);
  }

  // Changes the size of the view by a factor; the element at `at` (default: the center) stays where it is.
  zoom(factor, at) {
    if (!this.header) return;
    const [row, column, rows, columns] = this.view;
    at = at ?? [row - 0.5 + rows / 2, column - 0.5 + columns / 2];
    // Both directions keep their ratio.
    const {height, width} = this.header;
    const least = Math.max(Math.min(4, height) / rows, Math.min(4, width) / columns);
    factor = clamp(factor, Math.min(1, least), Math.max(height / rows, width / columns));
    const newRows = Math.min(rows * factor, height),
      newColumns = Math.min(columns * factor, width);
    this.setView([
      at[0] + 0.5 - ((at[0] + 0.5 - row) * newRows) / rows,
      at[1] + 0.5 - ((at[1] + 0.5 - column) * newColumns) / columns,
      newRows,
      newColumns,
    ]);
  }

  fit() {
    if (!this.header) return;
    this.setView(session.steer ? this.whole : (this.header.view ?? this.whole));
    this.local = false;
  }

  key(event, type) {
    if (
      !this.header ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.key === "Tab" ||
      event.key === "Shift" ||
      /^F\d+$/.test(event.key)
    )
      return;
    event.preventDefault();
    const arrows = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
    const arrow = arrows[event.key];
    if ((event.shiftKey && arrow) || event.key === "Enter" || (this.pressed && arrow)) {
      if (type === "press") this.keyCursor(arrow, event.key === "Enter" && !event.repeat);
      return;
    }
    if (type === "press") {
      const [row, column, rows, columns] = this.view;
      if (event.key === "+" || event.key === "=") this.zoom(0.5 ** 0.5, this.cursor);
      else if (event.key === "-") this.zoom(2 ** 0.5, this.cursor);
      else if (event.key === "0") this.fit();
      else if (arrow && this.zoomed)
        this.setView([row + (arrow[0] * rows) / 8, column + (arrow[1] * columns) / 8, rows, columns]);
    }
    if (!event.repeat) steer("key", this.name, event.key, type);
  }

  // Moves the cursor of the keyboard, or presses and releases there.
  keyCursor(arrow, press) {
    const [row, column, rows, columns] = this.view;
    this.cursor = this.cursor ?? [Math.floor(row + rows / 2), Math.floor(column + columns / 2)];
    if (arrow) {
      const step = [Math.max(1, Math.round(rows / 64)), Math.max(1, Math.round(columns / 64))];
      this.cursor = [
        clamp(this.cursor[0] + arrow[0] * step[0], 1, this.header.height),
        clamp(this.cursor[1] + arrow[1] * step[1], 1, this.header.width),
      ];
      this.moved(this.cursor, this.pressed ? 1 : 0);
    } else if (press) {
      this.pressed = !this.pressed;
      this.pointerEvent(this.pressed ? "press" : "release", this.cursor, this.pressed ? 1 : 0);
    }
    this.at = this.cursor;
    this.probe();
    this.read();
    announce(`${this.pressed ? "pressed, " : ""}${this.readout.textContent}`);
    redraw(this);
  }

  alternative() {
    const {header} = this;
    if (!header) return `${this.name}, no image yet`;
    const range = header.colors
      ? `, values from ${numberText(header.min, 4)} to ${numberText(header.max, 4)}, color map ${header.colormap}`
      : "";
    return `${this.name}, ${header.width} by ${header.height} elements${range}`;
  }
}

class MeshPanel extends BitmapPanel {
  build() {
    this.stage(
      "three-dimensional view",
      "The arrow keys turn the view, plus and minus change the distance, 0 restores the view.",
    );
    this.shapeCanvas(4 / 3);
    this.tool("minus", "Farther", () => this.orbit(0, 0, 1.25));
    this.tool("plus", "Closer", () => this.orbit(0, 0, 0.8));
    this.tool("fit", "Initial view", () => steer("orbit", this.name, 0, 0, 0));
    this.tool("save", "Save image", () => this.save());
    const {canvas} = this;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.focus({focusVisible: false});
      canvas.setPointerCapture(event.pointerId);
      this.last = [event.clientX, event.clientY];
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!event.buttons || !this.last) return;
      const size = Math.min(canvas.clientWidth, canvas.clientHeight);
      this.orbit(
        ((event.clientX - this.last[0]) / size) * Math.PI,
        ((event.clientY - this.last[1]) / size) * Math.PI,
        1,
      );
      this.last = [event.clientX, event.clientY];
    });
    for (const name of ["pointerup", "pointercancel"])
      canvas.addEventListener(name, () => {
        this.last = null;
      });
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (wheelZooms(event, this)) this.orbit(0, 0, 1.25 ** wheelSteps(event));
      },
      {passive: false},
    );
    canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const step = Math.PI / 36;
      const moves = {
        ArrowLeft: [-step, 0, 1],
        ArrowRight: [step, 0, 1],
        ArrowUp: [0, -step, 1],
        ArrowDown: [0, step, 1],
        "+": [0, 0, 0.9],
        "=": [0, 0, 0.9],
        "-": [0, 0, 1 / 0.9],
      };
      if (event.key === "0") steer("orbit", this.name, 0, 0, 0);
      else if (moves[event.key]) this.orbit(...moves[event.key]);
      else return;
      event.preventDefault();
    });
  }

  // Sends the sum of the movements once per frame of the display.
  orbit(dx, dy, zoom) {
    if (!this.turn) {
      this.turn = [0, 0, 1];
      requestAnimationFrame(() => {
        const [x, y, z] = this.turn;
        this.turn = null;
        steer("orbit", this.name, x.toFixed(5), y.toFixed(5), z.toFixed(5));
      });
    }
    this.turn = [this.turn[0] + dx, this.turn[1] + dy, this.turn[2] * zoom];
  }

  arrived() {}

  draw() {
    const {canvas, context, bitmap} = this;
    if (!bitmap) return;
    const scale = Math.min(canvas.width / bitmap.width, canvas.height / bitmap.height);
    const width = bitmap.width * scale,
      height = bitmap.height * scale;
    context.fillStyle = color("backdrop");
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.imageSmoothingQuality = "high";
    context.drawImage(bitmap, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height);
  }

  alternative() {
    return `${this.name}, a rendered mesh`;
  }
}
