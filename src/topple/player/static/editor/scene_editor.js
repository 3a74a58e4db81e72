// Editing a draft of either benchmark in its scene: select, drag, resize, turn, undo and redo.
import { palette } from "../canvas/palette.js";
import { SceneView } from "../canvas/scene_view.js";

const GRIP = 14; // screen px around a handle
const HISTORY = 100;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** Fires "change" when the draft changed and "select" when another item is selected. */
export class SceneEditor extends EventTarget {
  /** @param {any} draft @param {(data: any) => any} reopen makes a draft of stored data */
  constructor(draft, reopen) {
    super();
    this.draft = draft;
    this.reopen = reopen;
    this.selected = -1;
    this.view = new SceneView({
      size: draft.size,
      yUp: draft.yUp,
      focusable: true,
      paint: (ctx, view) => this.#paint(ctx, view),
      label:
        "Scene. Arrow keys move the selected body, Q and E turn it, plus and minus resize it, Delete removes it.",
    });
    this.#past = [this.#snapshot()];
    this.#listen();
  }

  #past;
  #future = [];
  #drag = null;

  get canUndo() {
    return this.#past.length > 1;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  select(index) {
    this.selected = index;
    this.view.redraw();
    this.dispatchEvent(new Event("select"));
  }

  add(tool) {
    const index = this.draft.add(tool);
    if (index >= 0) this.commit();
    this.select(index);
  }

  remove() {
    if (this.selected < 0) return;
    this.draft.remove(this.selected);
    this.commit();
    this.select(-1);
  }

  /** Add the current state to the history, so that a change can be undone. */
  commit() {
    const now = this.#snapshot();
    if (now === this.#past.at(-1)) return this.view.redraw();
    this.#past = [...this.#past, now].slice(-HISTORY);
    this.#future = [];
    this.#changed();
  }

  undo() {
    if (this.canUndo) this.#restore(this.#past, this.#future);
  }

  redo() {
    if (!this.canRedo) return;
    const next = this.#future.pop();
    this.#past.push(next);
    this.load(JSON.parse(next), false);
  }

  /** Replace the draft by stored data. */
  load(data, remember = true) {
    this.draft = this.reopen(data);
    this.select(-1);
    if (remember) this.commit();
    else this.#changed();
  }

  #restore(from, to) {
    to.push(from.pop());
    this.load(JSON.parse(from.at(-1)), false);
  }

  #snapshot() {
    return JSON.stringify(this.draft.data("draft"));
  }

  #changed() {
    this.view.redraw();
    this.dispatchEvent(new Event("change"));
  }

  #paint(ctx, view) {
    const unit = 1 / view.scale;
    const colours = palette();
    this.draft.paint(ctx, colours, this.selected, unit);
    if (this.selected < 0) return;
    for (const { x, y, name } of this.draft.handles(this.selected)) {
      ctx.beginPath();
      ctx.arc(x, y, (name === "turn" ? 6 : 7) * unit, 0, 7);
      ctx.fillStyle = name === "turn" ? colours.phyre.red : colours.ground;
      ctx.strokeStyle = colours.phyre.black;
      ctx.lineWidth = 2 * unit;
      ctx.fill();
      ctx.stroke();
    }
  }

  #listen() {
    const { canvas } = this.view;
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"])
      canvas.addEventListener(name, () => this.#up());
    canvas.addEventListener("keydown", (event) => this.#key(event));
  }

  #handleAt(point) {
    if (this.selected < 0) return undefined;
    const near = GRIP / this.view.scale;
    return this.draft
      .handles(this.selected)
      .find(({ x, y }) => Math.hypot(x - point.x, y - point.y) < near);
  }

  #down(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    const { canvas } = this.view;
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    const point = this.view.at(event);
    const handle = this.#handleAt(point);
    if (handle) {
      this.#drag = { handle: handle.name, point };
      return;
    }
    const index = this.draft.hit(point, 4 / this.view.scale);
    if (this.draft.choose?.(index)) {
      this.commit();
      return this.select(index);
    }
    this.select(index);
    if (index >= 0) this.#drag = { handle: null, point };
  }

  #move(event) {
    const point = this.view.at(event);
    const { dataset } = this.view.canvas;
    if (!this.#drag) {
      const handle = this.#handleAt(point);
      const over = this.draft.hit(point, 0) >= 0;
      dataset.cursor = handle ? (handle.name === "turn" ? "turn" : "size") : over ? "move" : "";
      return;
    }
    const { handle, point: last } = this.#drag;
    if (handle) this.draft.drag(this.selected, handle, point);
    else {
      const [dx, dy] = [Math.round(point.x - last.x), Math.round(point.y - last.y)];
      this.draft.move(this.selected, dx, dy);
      this.#drag.point = { x: last.x + dx, y: last.y + dy };
    }
    this.view.redraw();
  }

  #up() {
    if (!this.#drag) return;
    this.#drag = null;
    this.commit();
    this.dispatchEvent(new Event("select"));
  }

  #key(event) {
    const { key, shiftKey, ctrlKey, metaKey } = event;
    if (ctrlKey || metaKey) {
      if (key === "z" || key === "Z")
        (shiftKey ? this.redo() : this.undo(), event.preventDefault());
      return;
    }
    if (this.selected < 0) return;
    const arrow = ARROWS[key];
    const by = shiftKey ? 8 : 1;
    if (arrow)
      this.draft.move(this.selected, arrow[0] * by, arrow[1] * by * (this.draft.yUp ? 1 : -1));
    else if (key === "q" || key === "Q") this.draft.turn(this.selected, shiftKey ? 15 : 5);
    else if (key === "e" || key === "E") this.draft.turn(this.selected, shiftKey ? -15 : -5);
    else if (key === "+" || key === "=") this.draft.grow(this.selected, 1);
    else if (key === "-" || key === "_") this.draft.grow(this.selected, -1);
    else if (key === "Delete" || key === "Backspace")
      return (event.preventDefault(), this.remove());
    else return;
    event.preventDefault();
    this.commit();
    this.dispatchEvent(new Event("select"));
  }
}
