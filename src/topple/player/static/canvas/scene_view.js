// A square canvas with the coordinates of its scene, which stays sharp at any size.
import { h } from "../dom.js";
import { settings } from "../settings.js";

/** @typedef {{ x: number, y: number }} Point */

export const PHYRE_SIZE = 256; // px, y up
export const IPHYRE_SIZE = 600; // px, y down

export class SceneView {
  /**
   * @param {object} options
   * @param {number} options.size width and height of the scene
   * @param {boolean} options.yUp
   * @param {string} [options.label] what the picture shows; none for decoration
   * @param {(ctx: CanvasRenderingContext2D, view: SceneView) => void} options.paint in scene coordinates
   * @param {boolean} [options.focusable] whether it receives keys
   */
  constructor({ size, yUp, label, paint, focusable = false }) {
    this.size = size;
    this.yUp = yUp;
    this.paint = paint;
    this.canvas = h("canvas", {
      class: "scene-view",
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

  /** Screen pixels per unit of the scene. */
  get scale() {
    return (this.canvas.clientWidth || 1) / this.size;
  }

  /** Whether the canvas is used by keyboard. */
  get byKeys() {
    return (
      document.activeElement === this.canvas && document.documentElement.dataset.input === "keys"
    );
  }

  /** Draw before the next frame of the screen; several calls draw once. */
  redraw = () => {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  };

  /** The position of a pointer in the scene. @returns {Point} */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.size;
    const y = ((event.clientY - box.top) / box.height) * this.size;
    return { x, y: this.yUp ? this.size - y : y };
  }

  /** Stop drawing, because the user leaves the page. */
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
