// The page of rill.live shows the panels of a script, and sends what the user does. This file has the connection, the
// header of the page and the lists of panels and controls. It starts the page.
//
// A message of the server is binary: the length of the header (32-bit little-endian), the header (JSON), the payload. A
// message to the server is a text whose fields are separated by tabs. src/live parses the messages of the page.
"use strict";

const panelTypes = {
  image: ImagePanel,
  mesh: MeshPanel,
  plot: PlotPanel,
  histogram: HistogramPanel,
  text: TextPanel,
  table: TablePanel,
  profile: TablePanel,
};

const session = {
  socket: null,
  open: false,
  ended: false,
  attempt: 0,
  timer: 0,
  steer: false,
  mode: "first",
  client: 0,
  state: {running: true, paused: false, frame: 0, fps: 0, recording: false, clients: 1},
  title: "rill",
};

function send(...fields) {
  if (session.open) session.socket.send(fields.join("\t"));
}
// Sends what only the browser that steers may send.
function steer(...fields) {
  if (session.steer) send(...fields);
}

function connect() {
  clearTimeout(session.timer);
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(`${scheme}//${location.host}/ws${location.search}`, "rill-live");
  socket.binaryType = "arraybuffer";
  session.socket = socket;
  socket.onopen = () => {
    session.open = true;
    session.ended = false;
    session.attempt = 0;
    announce("connected");
    showState();
  };
  socket.onmessage = (event) => {
    if (socket === session.socket && event.data instanceof ArrayBuffer) receive(event.data);
  };
  socket.onclose = () => {
    if (socket !== session.socket) return;
    if (session.open && !session.ended) announce("connection lost");
    session.open = false;
    if (!session.ended) reconnect();
    showState();
  };
  showState();
}

// Connects without the rest of the delay.
function connectEarly() {
  if (!session.open && !session.ended && session.socket.readyState === WebSocket.CLOSED) connect();
}

// Connects again after 0.5 s, 1 s, 2 s, ... at most 8 s.
function reconnect() {
  const delay = Math.min(8000, 500 * 2 ** session.attempt) * (0.8 + 0.4 * Math.random());
  session.attempt += 1;
  session.timer = setTimeout(connect, delay);
}

const decoder = new TextDecoder();
function receive(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(decoder.decode(new Uint8Array(buffer, 4, length)));
  const payload = new Uint8Array(buffer, 4 + length);
  switch (header.type) {
    case "hello":
      hello(header);
      break;
    case "state":
      Object.assign(session.state, header);
      showState();
      break;
    case "layout":
      layOut(header);
      break;
    case "closed":
      session.ended = true;
      announce("the script has ended");
      showState();
      break;
    default: {
      const panel = panels.get(header.name) ?? addPanel(header.name, header.type);
      panel?.receive(header, payload);
    }
  }
}

function hello(header) {
  const before = session.steer;
  Object.assign(session, {
    steer: header.steer,
    mode: header.mode ?? "first",
    client: header.client,
    title: header.title ?? "rill",
  });
  if (before !== session.steer && before !== undefined)
    announce(session.steer ? "this browser steers" : "another browser steers");
  for (const panel of panels.values()) panel.steering();
  showState();
}

function statusNow() {
  const {state} = session;
  if (session.ended) return ["ended", "ended"];
  if (!session.open)
    return session.attempt === 0
      ? ["connecting", "connecting"]
      : ["lost", session.attempt < 5 ? "reconnecting" : "no answer, retrying"];
  if (state.prompt) return ["running", "at the prompt"];
  if (state.running === false) return ["ended", "finished"];
  return state.paused ? ["paused", "paused"] : ["running", "running"];
}

function showState() {
  const {state} = session;
  const [name, text] = statusNow();
  const active = session.open && !session.ended && state.running !== false;
  const able = active && session.steer;
  if (byId("status").dataset.state !== name) {
    byId("status").dataset.state = name;
    if (name === "paused") announce("paused");
  }
  setText(byId("status-text"), text);
  setText(byId("title"), session.title);
  setText(byId("frame"), state.frame?.toLocaleString("en-US") ?? "–");
  setText(
    byId("fps"),
    active && !state.paused && !state.prompt && state.fps ? (state.fps < 10 ? state.fps.toFixed(1) : state.fps.toFixed(0)) : "–",
  );
  setText(byId("clients"), String(state.clients ?? 1));
  byId("clients-meter").hidden = !(state.clients > 1);
  document.title = name === "running" ? session.title : `${session.title} (${text})`;
  byId("retry").hidden = (session.open && !session.ended) || name === "connecting";
  face(byId("pause"), state.paused ? "play" : "pause", state.paused ? "Resume" : "Pause");
  face(byId("record"), "record", state.recording ? "Recording" : "Record");
  byId("record").setAttribute("aria-pressed", String(Boolean(state.recording)));
  byId("record").title = state.recording
    ? `Recording to ${state.recording}`
    : "Record the first image to a file on the machine of the script";
  for (const id of ["pause", "record", "stop"]) byId(id).disabled = !able;
  byId("step").disabled = !able || !state.paused;
  for (const id of ["pause", "step", "stop"]) byId(id).hidden = Boolean(state.prompt);
  byId("steer").hidden = session.steer || !active;
  byId("watching").hidden = session.steer || !active;
  byId("control-list").disabled = !able;
}

const themes = ["auto", "light", "dark"];
function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  face(byId("theme"), theme, "");
  byId("theme").setAttribute("aria-label", `Theme: ${theme}`);
  byId("theme").title = `Theme: ${theme}`;
  try {
    localStorage.setItem("rill-theme", theme);
  } catch {
    /* storage may be disabled */
  }
  themeChanged();
}
function themeChanged() {
  colorCache = new Map();
  for (const panel of panels.values()) redraw(panel);
}

function startHeader() {
  face(byId("step"), "step", "Step");
  face(byId("stop"), "stop", "Stop");
  face(byId("steer"), "hand", "Take steering");
  byId("pause").addEventListener("click", () => steer("run", session.state.paused ? "resume" : "pause"));
  byId("step").addEventListener("click", () => steer("run", "step"));
  byId("record").addEventListener("click", () => steer("record", session.state.recording ? "stop" : "start"));
  byId("steer").addEventListener("click", () => send("steer", "take"));
  byId("stop").addEventListener("click", () => byId("confirm").showModal());
  byId("confirm-no").addEventListener("click", () => byId("confirm").close());
  byId("confirm-yes").addEventListener("click", () => {
    byId("confirm").close();
    steer("run", "stop");
  });
  byId("retry").addEventListener("click", () => {
    session.ended = false;
    session.attempt = Math.max(1, session.attempt);
    connect();
  });
  byId("theme").addEventListener("click", () => {
    const now = document.documentElement.dataset.theme ?? "auto";
    setTheme(themes[(themes.indexOf(now) + 1) % themes.length]);
  });
  let theme = "auto";
  try {
    theme = localStorage.getItem("rill-theme") ?? theme;
  } catch {
    /* storage may be disabled */
  }
  setTheme(themes.includes(theme) ? theme : "auto");
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", themeChanged);
}

function layOut(layout) {
  const list = byId("control-list");
  const names = new Set(layout.controls.map((control) => control.name));
  for (const [name, control] of controls) {
    if (!names.has(name)) {
      control.node.remove();
      controls.delete(name);
    }
  }
  layout.controls.forEach((state, i) => {
    let control = controls.get(state.name);
    if (control && control.type !== state.type) {
      control.node.remove();
      control = null;
    }
    if (!control) {
      control = new Control(state);
      controls.set(state.name, control);
    }
    const at = list.children[i + 1]; // after the legend
    if (at !== control.node) list.insertBefore(control.node, at ?? null);
    control.update(state);
  });
  byId("controls").hidden = controls.size === 0;

  const kept = new Set(layout.panels.map((panel) => panel.name));
  for (const [name, panel] of panels) {
    if (!kept.has(name)) removePanel(name, panel);
  }
  for (const {name, type} of layout.panels) {
    if (panels.get(name)?.type !== type) addPanel(name, type);
  }
  const order = layout.panels.map(({name}) => panels.get(name)?.node).filter(Boolean);
  order.forEach((node, i) => {
    const at = byId("panels").children[i];
    if (at !== node) byId("panels").insertBefore(node, at);
  });
  for (const panel of panels.values()) panel.steering();
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  for (const panel of panels.values()) panel.decode?.();
  connectEarly();
});
addEventListener("online", connectEarly);
startHeader();
connect();
