// A square canvas that speaks the coordinates of its scene and stays sharp at any size.
import { h } from "../dom.js";
import { settings } from "../settings.js";

/** @typedef {{ x: number, y: number }} Point */

export const PHYRE_SIZE = 256; // px, y up
export const IPHYRE_SIZE = 600; // px, y down

export class Stage {
  /**
   * @param {object} options
   * @param {number} options.size width and height of the scene
   * @param {boolean} options.yUp
   * @param {string} [options.label] what the picture shows; none for mere decoration
   * @param {(ctx: CanvasRenderingContext2D, stage: Stage) => void} options.paint in scene coordinates
   * @param {boolean} [options.focusable] whether keys go to it
   */
  constructor({ size, yUp, label, paint, focusable = false }) {
    this.size = size;
    this.yUp = yUp;
    this.paint = paint;
    this.canvas = h("canvas", {
      class: "stage",
      role: focusable ? "application" : label && "img",
      "aria-label": label,
      "aria-hidden": label ? undefined : "true",
      tabindex: focusable ? 0 : undefined,
    });
    this.#watch = new ResizeObserver(() => this.#fit());
    this.#watch.observe(this.canvas);
    settings.addEventListener("change", this.redraw);
  }

  #watch;
  #frame = 0;

  /** Pixels of the screen per unit of the scene. */
  get scale() {
    return (this.canvas.clientWidth || 1) / this.size;
  }

  /** Whether keys are in use here. */
  get byKeys() {
    return (
      document.activeElement === this.canvas && document.documentElement.dataset.input === "keys"
    );
  }

  /** Draw again before the next picture of the screen; many calls cost one drawing. */
  redraw = () => {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  };

  /** Where a pointer is, in the scene. @returns {Point} */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.size;
    const y = ((event.clientY - box.top) / box.height) * this.size;
    return { x, y: this.yUp ? this.size - y : y };
  }

  /** Stop watching; the page is left. */
  close() {
    this.#watch.disconnect();
    cancelAnimationFrame(this.#frame);
    settings.removeEventListener("change", this.redraw);
  }

  #fit() {
    const wide = Math.round(this.canvas.clientWidth * devicePixelRatio);
    if (wide > 0 && wide !== this.canvas.width) {
      this.canvas.width = this.canvas.height = wide;
      this.#draw();
    }
  }

  #draw() {
    const ctx = this.canvas.getContext("2d");
    const k = this.canvas.width / this.size;
    ctx.setTransform(k, 0, 0, this.yUp ? -k : k, 0, this.yUp ? this.canvas.height : 0);
    this.paint(ctx, this);
  }
}
