// Panels: what all have, texts, tables.
"use strict";

const panels = new Map();
let panelCount = 0;

function addPanel(name, type) {
  const old = panels.get(name);
  if (old) removePanel(name, old);
  const Type = panelTypes[type];
  if (!Type) return null;
  const panel = new Type(name, type);
  panels.set(name, panel);
  byId("panels").insertBefore(panel.node, byId("empty"));
  heights.observe(panel.node);
  byId("empty").hidden = true;
  return panel;
}

function removePanel(name, panel) {
  heights.unobserve(panel.node);
  panel.close();
  panel.node.remove();
  panels.delete(name);
  byId("empty").hidden = panels.size > 0;
}

function download(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = element("a", {href: url, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
  announce(`saved ${name}`);
}

// What all panels have: a title, buttons, a content.
class Panel {
  constructor(name, type) {
    this.name = name;
    this.type = type;
    this.id = `panel-${++panelCount}`;
    this.tools = element("div", {className: "tools", role: "group", "aria-label": `Tools of ${name}`});
    this.node = element(
      "section",
      {className: `panel ${type}`, "aria-labelledby": this.id},
      element("div", {className: "top"}, element("h2", {id: this.id, title: name}, name), this.tools),
    );
    this.node.dataset.panel = name;
    this.build();
    const wide = this.tool("wide", "Widen", () => {
      wide.setAttribute("aria-pressed", String(this.node.classList.toggle("wide")));
    });
    wide.setAttribute("aria-pressed", "false");
  }

  // Adds a button with an icon (or a text) to the tools.
  tool(face, label, action) {
    const button = element(
      "button",
      {type: "button", click: action, title: label, "aria-label": `${label}: ${this.name}`},
      icons[face] ? icon(face) : face,
    );
    button.dataset.tool = label;
    this.tools.append(button);
    return button;
  }

  // Adds a canvas with the focus and a description of its keys.
  stage(kind, description) {
    this.canvas = element("canvas", {
      tabIndex: 0,
      role: "application",
      "aria-label": this.name,
      "aria-roledescription": kind,
    });
    this.canvas.width = this.canvas.height = 1;
    const help = element("p", {className: "unseen", id: `${this.id}-help`}, description);
    this.canvas.setAttribute("aria-describedby", help.id);
    this.context = this.canvas.getContext("2d");
    this.note = element("p", {className: "note"}, "waiting for the first frame");
    this.area = element("div", {className: "stage"}, this.canvas, this.note);
    this.node.append(this.area, help);
    observe(this.canvas, this);
    this.canvas.addEventListener("focus", () => this.describe());
    this.describing = setInterval(() => document.activeElement === this.canvas && this.describe(), 3000);
  }

  // Keeps the name of the canvas, which screen readers read, up to date.
  describe() {
    const text = this.alternative();
    if (this.canvas.getAttribute("aria-label") !== text) this.canvas.setAttribute("aria-label", text);
  }

  // Returns the position of a pointer event as fractions of the size of the canvas.
  fraction(event) {
    const box = this.canvas.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  }

  fileName(ending) {
    const text = `${session.title}-${this.name}-${session.state.frame ?? 0}`.replace(/[^\p{L}\p{N}._-]+/gu, "-");
    return `${text}.${ending}`;
  }

  alternative() {
    return this.name;
  }
  resized() {}
  draw() {}
  steering() {}

  close() {
    clearInterval(this.describing);
    if (this.canvas) sizes.unobserve(this.canvas);
  }
}

class TextPanel extends Panel {
  build() {
    this.text = element("pre", {tabIndex: 0, role: "region", "aria-labelledby": this.id});
    this.node.append(this.text);
  }

  receive(header) {
    this.pending = header;
    redraw(this);
  }

  draw() {
    if (this.pending) setText(this.text, this.pending.text);
    this.pending = null;
  }
}

class TablePanel extends Panel {
  build() {
    this.head = element("tr");
    this.body = element("tbody");
    this.table = element("table", {"aria-labelledby": this.id}, element("thead", {}, this.head), this.body);
    this.more = element("p", {className: "bottom", hidden: true});
    this.node.append(
      element("div", {className: "scroll", tabIndex: 0, role: "region", "aria-labelledby": this.id}, this.table),
      this.more,
    );
    this.tool("data", "Save data", () => {
      const quote = (text) => `"${String(text).replaceAll('"', '""')}"`;
      const {columns, rows} = this.header ?? {columns: [], rows: []};
      const lines = [columns.map(({name}) => quote(name)), ...rows.map((row) => row.map(quote))];
      download(
        new Blob([lines.map((line) => line.join(",")).join("\n") + "\n"], {type: "text/csv"}),
        this.fileName("csv"),
      );
    });
  }

  receive(header) {
    this.pending = header;
    redraw(this);
  }

  // Writes the cells that changed, so that a selection stays.
  draw() {
    if (!this.pending) return;
    const header = (this.header = this.pending);
    this.pending = null;
    const numeric = header.columns.map(({type}) => type !== "string" && type !== "text");
    const names = JSON.stringify(header.columns);
    if (names !== this.listed) {
      this.listed = names;
      this.head.replaceChildren(
        ...header.columns.map(({name}, i) =>
          element("th", {scope: "col", className: numeric[i] ? "number" : ""}, name),
        ),
      );
      this.body.replaceChildren();
    }
    while (this.body.rows.length > header.rows.length) this.body.lastChild.remove();
    header.rows.forEach((row, i) => {
      const line =
        this.body.rows[i] ??
        this.body.appendChild(
          element("tr", {}, ...header.columns.map((_, k) => element("td", {className: numeric[k] ? "number" : ""}))),
        );
      header.columns.forEach((_, k) => setText(line.cells[k], String(row[k] ?? "")));
    });
    const total = header.total ?? header.rows.length;
    this.more.hidden = total <= header.rows.length;
    setText(this.more, `${header.rows.length.toLocaleString("en-US")} of ${total.toLocaleString("en-US")} rows`);
  }
}
