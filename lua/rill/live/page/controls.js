// The controls of the script: sliders, numbers, choices, toggles, buttons.
"use strict";

const controls = new Map();

// A control of the script. The value that the user is about to set has precedence over the values that arrive.
class Control {
  constructor({name, type}) {
    this.name = name;
    this.type = type;
    this.node = element("div", {className: "control"});
    this.node.dataset.control = name;
    this.changed = -Infinity;
    this.held = false;
    this.waiting = null;
    this.input = this.build(`control-${controls.size}-${Math.random().toString(36).slice(2)}`);
  }

  build(id) {
    const label = element("label", {for: id}, this.name);
    const edited = () => this.edited();
    switch (this.type) {
      case "slider": {
        this.output = element("output", {for: id});
        const input = element("input", {
          type: "range",
          id,
          input: edited,
          pointerdown: () => {
            this.held = true;
          },
        });
        for (const end of ["pointerup", "pointercancel"])
          input.addEventListener(end, () => {
            this.held = false;
            this.refresh();
          });
        this.ends = [element("span"), element("span")];
        this.node.append(
          label,
          this.output,
          input,
          element("div", {className: "ends", "aria-hidden": "true"}, ...this.ends),
        );
        return input;
      }
      case "number": {
        const input = element("input", {
          type: "number",
          id,
          change: edited,
          keydown: (event) => event.key === "Enter" && this.edited(),
        });
        this.problem = element("span", {className: "problem", id: `${id}-problem`, role: "alert"});
        input.setAttribute("aria-describedby", this.problem.id);
        input.addEventListener("blur", () => this.refresh());
        this.node.append(label, input, this.problem);
        return input;
      }
      case "choice": {
        const input = element("select", {id, change: edited});
        this.node.append(label, input);
        return input;
      }
      case "toggle": {
        const input = element("input", {type: "checkbox", className: "switch", role: "switch", id, change: edited});
        this.node.append(label, input);
        return input;
      }
      default: {
        const input = element("button", {type: "button", id, click: () => steer("set", this.name, "press")}, this.name);
        this.node.append(input);
        return input;
      }
    }
  }

  // Shows the newest state of the script.
  update(state) {
    this.state = state;
    this.refresh();
  }

  refresh() {
    clearTimeout(this.waiting);
    if (this.type === "button" || !this.state) return;
    const rest = this.changed + 600 - performance.now();
    if (this.held || rest > 0) {
      this.waiting = setTimeout(() => this.refresh(), Math.max(rest, 100));
      return;
    }
    const {state, input} = this;
    if (this.type === "choice") {
      const choices = state.choices ?? [];
      if (JSON.stringify(choices) !== this.listed) {
        this.listed = JSON.stringify(choices);
        input.replaceChildren(...choices.map((text, i) => element("option", {value: String(i + 1)}, String(text))));
      }
      input.value = String(state.value);
    } else if (this.type === "toggle") {
      input.checked = state.value === true || state.value === 1;
    } else {
      const low = state.min ?? (this.type === "slider" ? 0 : ""),
        high = state.max ?? (this.type === "slider" ? 1 : "");
      input.min = low;
      input.max = high;
      input.step = state.step > 0 ? state.step : this.type === "slider" ? (high - low) / 200 || 1 : "any";
      if (this.type === "slider") {
        input.value = state.value;
        setText(this.ends[0], numberText(low));
        setText(this.ends[1], numberText(high));
        this.show(state.value);
      } else if (document.activeElement !== input || input.value === "" || this.sent) {
        input.value = state.value;
        this.sent = false;
        setText(this.problem, "");
      }
    }
  }

  show(value) {
    setText(this.output, numberText(Number(value), 4));
    this.input.setAttribute("aria-valuetext", numberText(Number(value), 4));
  }

  edited() {
    const {input} = this;
    let value = input.value;
    if (this.type === "toggle") value = input.checked ? "1" : "0";
    if (this.type === "number") {
      const wrong =
        value === ""
          ? "A number is needed."
          : input.validity.rangeUnderflow
            ? `At least ${input.min}.`
            : input.validity.rangeOverflow
              ? `At most ${input.max}.`
              : Number.isFinite(Number(value))
                ? ""
                : "A number is needed.";
      setText(this.problem, wrong);
      this.sent = !wrong;
      if (wrong) return;
    }
    if (this.type === "slider") this.show(value);
    this.changed = performance.now();
    this.next = value;
    if (!this.requested) {
      this.requested = true;
      requestAnimationFrame(() => {
        this.requested = false;
        steer("set", this.name, this.next);
      });
    }
  }
}
