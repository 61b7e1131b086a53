// Elements, texts and drawing, for the other files of the page of rill.live. The files are loaded in the order of
// index.html, and share their global names.
"use strict";

const byId = (id) => document.getElementById(id);

// Returns a new element with properties, attributes (names with "-", "role", "for", "scope"), event listeners (functions)
// and children.
function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (name.includes("-") || name === "role" || name === "for" || name === "scope")
      node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children);
  return node;
}

const icons = {
  pause: "M5 3v10M11 3v10",
  play: "M4 2.5v11l9-5.5z",
  step: "M4 3v10l6-5zM12.5 3v10",
  stop: "M3.5 3.5h9v9h-9z",
  record: "M8 3.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9z",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  save: "M8 2v8M4.5 7L8 10.5 11.5 7M2.5 13.5h11",
  data: "M2.5 3h11v10h-11zM2.5 6.5h11M2.5 9.8h11M6.5 3v10",
  wide: "M5 5L2 8l3 3M11 5l3 3-3 3M2 8h12",
  hand: "M8 2v6M8 14a6 6 0 1 1 0-12a6 6 0 0 1 0 12M3 10.5L8 8l5 2.5",
  auto: "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12",
  light: "M8 5a3 3 0 1 1 0 6a3 3 0 0 1 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  dark: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z",
};

function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", icons[name]);
  svg.append(path);
  return svg;
}

// Sets the icon and the text of a button, without changes if they are the same.
function face(button, name, text) {
  if (button.dataset.face === name + text) return;
  button.dataset.face = name + text;
  button.replaceChildren(icon(name), text);
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Returns a number with at most `digits` significant digits.
function numberText(value, digits = 6) {
  if (typeof value !== "number") return "–";
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "-∞";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-4))
    return value
      .toExponential(Math.min(digits, 4) - 1)
      .replace(/\.?0+e/, "e")
      .replace("e+", "e");
  if (Number.isInteger(value)) return value.toLocaleString("en-US");
  return String(Number(value.toPrecision(digits)));
}

const fixedText = (value, decimals) =>
  value.toLocaleString("en-US", {minimumFractionDigits: decimals, maximumFractionDigits: decimals});

let announceTimer = 0;
// Tells users of screen readers, after a moment without a newer text.
function announce(text) {
  clearTimeout(announceTimer);
  announceTimer = setTimeout(() => setText(byId("announcer"), text), 250);
}

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

const dirty = new Set();
let frameRequested = false;
// Draws a panel at the next frame of the display. A hidden page draws nothing until it is visible.
function redraw(panel) {
  dirty.add(panel);
  if (frameRequested) return;
  frameRequested = true;
  requestAnimationFrame(() => {
    frameRequested = false;
    const list = [...dirty];
    dirty.clear();
    for (const item of list) item.draw();
  });
}

let colorCache = new Map();
// Returns the color of a custom property in the current theme.
function color(name) {
  let value = colorCache.get(name);
  if (!value) {
    const probe = element("i");
    probe.style.color = `var(--${name})`;
    document.body.append(probe);
    value = getComputedStyle(probe).color;
    probe.remove();
    colorCache.set(name, value);
  }
  return value;
}

// Keeps the number of pixels of a canvas equal to the number that it covers on the screen.
const sizes = new ResizeObserver((entries) => {
  for (const entry of entries) {
    const device = entry.devicePixelContentBoxSize?.[0];
    const ratio = window.devicePixelRatio;
    // The rounding is that of the device. The device is ignored if it is not that of the page, as where tools emulate it.
    const pixels = (size, exact) => Math.max(1, Math.abs(exact - size * ratio) < 2 ? exact : Math.round(size * ratio));
    const width = pixels(entry.contentRect.width, device?.inlineSize);
    const height = pixels(entry.contentRect.height, device?.blockSize);
    const {canvas, panel} = entry.target.owner;
    if (canvas.width === width && canvas.height === height) continue;
    canvas.width = width;
    canvas.height = height;
    panel.resized(width, height);
    panel.draw();
  }
});
function observe(canvas, panel) {
  canvas.owner = {canvas, panel};
  try {
    sizes.observe(canvas, {box: "device-pixel-content-box"});
  } catch {
    sizes.observe(canvas);
  }
}

// Panels of different heights fill the columns of the grid without gaps: each spans rows of 4 pixels.
const heights = new ResizeObserver((entries) => {
  for (const {target} of entries) {
    const margin = parseFloat(getComputedStyle(target).marginBottom);
    target.style.gridRow = `span ${Math.ceil((target.offsetHeight + margin) / 4)}`;
  }
});

// A wheel that began to scroll the page continues to do so over a panel.
let lastWheel = {time: 0, panel: null};
function wheelZooms(event, panel) {
  const scrolling = event.timeStamp - lastWheel.time < 300 && lastWheel.panel !== panel;
  lastWheel = {time: event.timeStamp, panel: scrolling ? lastWheel.panel : panel};
  if (scrolling) return false;
  event.preventDefault();
  return true;
}
addEventListener(
  "wheel",
  (event) => {
    if (!event.defaultPrevented && !(event.target instanceof HTMLCanvasElement))
      lastWheel = {time: event.timeStamp, panel: null};
  },
  {passive: true},
);

function wheelSteps(event) {
  const pixels = (event.deltaY || event.deltaX) * (event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1);
  return Math.max(-240, Math.min(240, pixels)) / 120;
}
