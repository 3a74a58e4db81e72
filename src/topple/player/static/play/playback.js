// Playback of a recording, with its controls: play, seek, step and speed.
import { h, replace } from "../dom.js";
import { icon } from "../icons.js";
import { STEPS_PER_SECOND } from "./replay.js";
import { settings } from "../settings.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4];

/** Fires "step" whenever the position changes, and "end" when playback reaches the last step. */
export class Playback extends EventTarget {
  constructor() {
    super();
    this.last = 0; // the last step of the recording
    this.step = 0; // the position; it may lie between two steps
    this.playing = false;
    this.element = this.#build();
    this.#show();
  }

  #frame = 0;
  #clock = 0;
  #end = 0;

  /**
   * Show a recording of so many steps. It plays at once, unless reduced motion is wanted, and
   * pauses at `end`, where the outcome is certain; the rest can still be played.
   */
  open(last, { autoplay = true, end = last } = {}) {
    this.pause();
    this.last = last;
    this.#end = end;
    this.skipButton.disabled = false;
    this.scrub.max = String(last);
    this.element.hidden = false;
    const still = !autoplay || settings.reducedMotion;
    this.seek(still && autoplay ? end : 0);
    if (!still) this.play();
    else if (autoplay) this.#finish();
  }

  /** Go to the moment at which the outcome is certain. */
  skip() {
    this.seek(this.#end);
    this.#finish();
  }

  #finish() {
    this.pause();
    this.skipButton.disabled = true;
    this.dispatchEvent(new Event("end"));
  }

  /** Hide the controls. */
  close() {
    this.pause();
    this.element.hidden = true;
  }

  play() {
    if (this.step >= this.last) this.seek(0);
    this.playing = true;
    this.#clock = performance.now();
    this.#frame = requestAnimationFrame(this.#tick);
    this.#show();
  }

  pause() {
    this.playing = false;
    cancelAnimationFrame(this.#frame);
    this.#show();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  seek(step) {
    this.step = Math.min(Math.max(step, 0), this.last);
    this.#show();
    this.dispatchEvent(new Event("step"));
  }

  /** Move by a number of whole steps. */
  stepBy(steps) {
    this.pause();
    this.seek(Math.round(this.step) + steps);
  }

  /** Handle a key that works anywhere on the page. @param {KeyboardEvent} event */
  key(event) {
    const typing = /** @type {HTMLElement} */ (event.target).closest(
      "input, select, textarea, button, a",
    );
    if (this.element.hidden || typing || event.ctrlKey || event.metaKey) return;
    const actions = {
      " ": () => this.toggle(),
      ",": () => this.stepBy(-1),
      ".": () => this.stepBy(1),
    };
    if (!(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  }

  #tick = (now) => {
    if (!this.playing) return;
    const passed = (now - this.#clock) / 1000;
    this.#clock = now;
    const before = this.step;
    const to = before + passed * STEPS_PER_SECOND * settings.choices.speed;
    const stop = before < this.#end ? this.#end : this.last;
    this.seek(Math.min(to, stop));
    if (this.step < stop) this.#frame = requestAnimationFrame(this.#tick);
    else this.#finish();
  };

  #build() {
    const button = (name, label, onclick) =>
      h(
        "button",
        { class: `round control-${name}`, "aria-label": label, title: label, onclick },
        icon(name),
      );
    this.toggleButton = button("play", "Play", () => this.toggle());
    this.scrub = h("input", {
      type: "range",
      min: 0,
      max: 0,
      step: "any",
      value: 0,
      class: "scrub",
      "aria-label": "Position",
      oninput: () => {
        const step = Number(this.scrub.value);
        this.pause();
        this.seek(step);
      },
    });
    this.time = h("output", { class: "time" });
    this.speed = h(
      "select",
      {
        class: "speed",
        "aria-label": "Speed",
        onchange: () => settings.set({ speed: Number(this.speed.value) }),
      },
      SPEEDS.map((speed) => h("option", { value: speed }, `${speed}×`)),
    );
    this.skipButton = button("skip", "Skip to the result", () => this.skip());
    this.speed.value = String(settings.choices.speed);
    return h(
      "div",
      { class: "playback", role: "group", "aria-label": "Playback", hidden: true },
      button("stepBack", "One step back", () => this.stepBy(-1)),
      this.toggleButton,
      button("stepNext", "One step forward", () => this.stepBy(1)),
      this.scrub,
      this.time,
      this.speed,
      this.skipButton,
    );
  }

  #show() {
    if (!this.element) return;
    const label = this.playing ? "Pause" : "Play";
    if (this.toggleButton.title !== label || !this.toggleButton.firstChild) {
      this.toggleButton.title = label;
      this.toggleButton.setAttribute("aria-label", label);
      replace(this.toggleButton, icon(this.playing ? "pause" : "play"));
    }
    this.scrub.value = String(this.step);
    const seconds = (this.step / STEPS_PER_SECOND).toFixed(1);
    this.scrub.setAttribute("aria-valuetext", `${seconds} seconds`);
    this.time.textContent = `${seconds} s`;
  }
}
