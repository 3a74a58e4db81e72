// The removals of a play on a timeline: each can be moved in time, and the play is simulated again.
import { h, replace } from "../dom.js";
import { button } from "../widgets.js";

const WAIT = 250; // ms without a change before the play is shown again

/** Fires "move" with the new plan while a removal is moved, and "change" some time after that. */
export class Timeline extends EventTarget {
  /** @param {{ hz: number, tick_limit: number }} rules @param {(body: number) => number} keyOf */
  constructor({ hz, tick_limit: limit }, keyOf) {
    super();
    this.hz = hz;
    this.limit = limit;
    this.keyOf = keyOf;
    this.element = h("section", {
      class: "card stack timeline",
      "aria-label": "Timeline",
      hidden: true,
    });
  }

  #timer = 0;

  /**
   * Show the removals of a play.
   * @param {{ tick: number, body: number }[]} plan
   * @param {{ tick: number, body: number }[][]} ghosts the removals of earlier plays
   * @param {string} title what is shown, such as "Attempt 2"
   */
  show(plan, ghosts, title) {
    this.original = plan;
    this.plan = plan.map((one) => ({ ...one }));
    this.element.hidden = plan.length === 0;
    this.reset = button("Back to the play", {
      icon: "undo",
      kind: "quiet",
      hidden: true,
      onclick: () => {
        this.show(this.original, ghosts, title);
        this.#fire();
      },
    });
    this.result = h("p", { class: "small", role: "status" });
    replace(
      this.element,
      h("h2", {}, `What if? ${title}`),
      h(
        "p",
        { class: "small muted" },
        "Drag a removal to another moment, and see what would have happened.",
      ),
      this.plan.map((one) => this.#row(one, ghosts)),
      this.result,
      this.reset,
    );
  }

  hide() {
    this.element.hidden = true;
  }

  #row(one, ghosts) {
    const key = this.keyOf(one.body);
    const time = h("span", { class: "time", "aria-hidden": "true" });
    const write = () => {
      time.textContent = `${(one.tick / this.hz).toFixed(2)} s`;
      slider.setAttribute("aria-valuetext", time.textContent);
    };
    const slider = h("input", {
      type: "range",
      min: 0,
      max: this.limit - 1,
      step: 1,
      value: one.tick,
      "aria-label": `Block ${key} is removed after`,
      oninput: () => {
        one.tick = this.#free(Number(slider.value), one);
        write();
        this.reset.hidden = false;
        this.#fire("move");
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#fire(), WAIT);
      },
    });
    write();
    const marks = ghosts.flatMap((plan) => plan.filter(({ body }) => body === one.body));
    return h(
      "div",
      { class: "removal" },
      h("b", {}, key),
      h(
        "div",
        { class: "rail" },
        marks.map(({ tick }) => {
          const mark = h("i", { "aria-hidden": "true" });
          mark.style.left = `${(100 * tick) / this.limit}%`;
          return mark;
        }),
        slider,
      ),
      time,
    );
  }

  /** The nearest later tick at which no other block is removed: one block a tick. */
  #free(tick, one) {
    const taken = new Set(this.plan.filter((other) => other !== one).map(({ tick: own }) => own));
    let free = tick;
    while (taken.has(free)) free += 1;
    return free;
  }

  #fire(what = "change") {
    const plan = [...this.plan].sort((a, b) => a.tick - b.tick);
    this.dispatchEvent(new CustomEvent(what, { detail: plan }));
  }
}
