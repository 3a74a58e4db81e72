// The first puzzle of each kind teaches by doing: one thing at a time, each when its turn comes.
import { h, replace } from "../dom.js";

/** A short lesson beside the scene, whose steps are done by playing. */
export class Coach {
  /** @param {string[]} steps what to do, in order */
  constructor(steps) {
    this.steps = steps;
    this.at = 0;
    this.element = h("div", { class: "coach", role: "status" });
    this.#show();
  }

  /** A step was done; earlier ones count as done as well. */
  done(step) {
    if (step < this.at) return;
    this.at = step + 1;
    this.#show();
  }

  /** Say something else, such as what to do after a miss. */
  say(text) {
    replace(this.element, h("p", {}, text));
    this.element.hidden = false;
  }

  close() {
    this.element.remove();
  }

  #show() {
    this.element.hidden = this.at >= this.steps.length;
    if (this.element.hidden) return;
    replace(
      this.element,
      h(
        "ol",
        { "aria-hidden": "true" },
        this.steps.map((_, i) =>
          h("li", { class: i < this.at ? "done" : i === this.at ? "now" : "" }),
        ),
      ),
      h("p", {}, this.steps[this.at]),
    );
  }
}
