// Placing one or two balls in a PHYRE scene by pointer, wheel or keyboard.
import { clampRadius, faults, MAX_RADIUS, SIZE } from "./geometry.js";

/** @typedef {import("./geometry.js").BallSpot} BallSpot */

const FIRST_RADIUS = 14; // px
const GRIP = 14; // screen px around the rim handle and small balls, for touches
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const HISTORY = 100; // changes that can be undone
const BADGE = 12; // screen px around the number of an earlier try
const STRIDE = 8; // px per arrow key with Shift

/** Fires "change" when a ball moves, and "submit" when Enter asks for the simulation. */
export class Placement extends EventTarget {
  /**
   * @param {import("./scene_view.js").SceneView} view
   * @param {import("./phyre_scene.js").Body[]} bodies of the scene
   * @param {number} count how many balls an action has
   */
  constructor(view, bodies, count) {
    super();
    this.view = view;
    this.bodies = bodies;
    this.count = count;
    /** @type {BallSpot[]} */
    this.balls = [];
    this.selected = 0;
    this.enabled = true;
    /** @type {{ balls: BallSpot[], action: number[], number: number, solved: boolean }[]} earlier tries */
    this.ghosts = [];
    this.#listen();
  }

  /** @type {BallSpot[][]} */
  #past = [];
  #settled = "[]"; // the balls that the next change can be undone to
  #fingers = new Map(); // where they are, by pointer
  #pinch = 0; // radius per distance of two fingers
  #before = []; // the balls before the first finger touched

  get canUndo() {
    return this.#past.length > 0;
  }

  /** Go back to the balls before the last change. */
  undo() {
    const before = this.#past.pop();
    if (!before) return;
    this.#settled = JSON.stringify(before);
    this.set(before);
  }

  /** Remember the balls, so that the change that led to them can be undone. */
  settle() {
    const now = JSON.stringify(this.balls);
    if (now === this.#settled) return;
    this.#past = [...this.#past, JSON.parse(this.#settled)].slice(-HISTORY);
    this.#settled = now;
  }

  /** @type {{ kind: "move" | "size", dx: number, dy: number } | null} */
  #drag = null;

  /** The fault of each ball, or null. */
  get faults() {
    return faults(this.balls, this.bodies);
  }

  /** Whether all balls are placed and valid. */
  get ready() {
    return this.balls.length === this.count && this.faults.every((fault) => fault === null);
  }

  /** The state in a sentence, for the status line and screen readers. */
  get status() {
    const missing = this.count - this.balls.length;
    if (missing === this.count) {
      return this.count === 1
        ? "Tap the scene to place your ball."
        : "Tap the scene to place two balls.";
    }
    const bad = this.faults.findIndex((fault) => fault !== null);
    const name = this.count === 1 ? "The ball" : `Ball ${bad + 1}`;
    if (bad >= 0) return `${name} ${this.faults[bad]}.`;
    if (missing) return "Now place the second ball.";
    return this.count === 1 ? "The ball fits." : "Both balls fit.";
  }

  /** @param {BallSpot[]} balls */
  set(balls) {
    this.balls = balls.slice(0, this.count).map((ball) => ({ ...ball }));
    this.selected = Math.min(this.selected, Math.max(0, this.balls.length - 1));
    this.settle();
    this.#changed();
  }

  /** Change some numbers of one ball. @param {Partial<BallSpot>} spot */
  update(index, spot) {
    const ball = { ...this.balls[index], ...spot };
    this.balls[index] = {
      x: inside(ball.x),
      y: inside(ball.y),
      r: clampRadius(ball.r),
    };
    this.selected = index;
    this.#changed();
  }

  /** Draw the rims and handles over the balls. */
  paint(ctx, colours) {
    const unit = 1 / this.view.scale;
    const wrong = this.faults;
    this.balls.forEach(({ x, y, r }, i) => {
      ctx.globalAlpha = wrong[i] ? 0.45 : 1;
      ctx.fillStyle = colours.phyre.red;
      disc(ctx, x, y, r);
      ctx.fill();
      ctx.globalAlpha = 1;
      if (!this.enabled) return;
      ctx.lineWidth = 2 * unit;
      ctx.strokeStyle = colours.phyre[wrong[i] ? "red" : "black"];
      ctx.setLineDash(wrong[i] ? [4 * unit, 3 * unit] : []);
      disc(ctx, x, y, r + 3 * unit);
      if (i === this.selected) ctx.stroke();
      ctx.setLineDash([]);
      if (i === this.selected) this.#paintHandle(ctx, colours, unit);
    });
  }

  #paintHandle(ctx, colours, unit) {
    const { x, y } = this.#handle(this.balls[this.selected]);
    ctx.fillStyle = colours.ground;
    ctx.strokeStyle = colours.phyre.black;
    ctx.lineWidth = 2 * unit;
    disc(ctx, x, y, 6 * unit);
    ctx.fill();
    ctx.stroke();
  }

  // The handle is on the rim to the upper right, or on the other side near an edge.
  #handle({ x, y, r }) {
    const reach = (r + 3 / this.view.scale) * Math.SQRT1_2;
    return {
      x: x + (x + reach > SIZE - 4 ? -reach : reach),
      y: y + (y + reach > SIZE - 4 ? -reach : reach),
    };
  }

  #listen() {
    const { canvas } = this.view;
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, (event) => this.#up(event));
    }
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.#key(event));
  }

  #down(event) {
    if (!this.enabled || event.button !== 0) return;
    const point = this.view.at(event);
    const grip = GRIP / this.view.scale;
    const ball = this.balls[this.selected];
    event.preventDefault();
    this.view.canvas.focus({ preventScroll: true });
    this.view.canvas.setPointerCapture(event.pointerId);
    if (this.#fingers.size === 0) this.#before = this.balls.map((b) => ({ ...b }));
    this.#fingers.set(event.pointerId, point);
    if (this.#fingers.size === 2 && ball) {
      this.#drag = null;
      const { r, ...place } = this.#before[this.selected] ?? ball;
      this.update(this.selected, place); // where it was before the first finger moved it
      this.#pinch = r / Math.max(this.#spread(), 1);
      return;
    }
    if (ball && distance(this.#handle(ball), point) < grip) {
      this.#drag = { kind: "size", dx: distance(ball, point) - ball.r, dy: 0 };
      return;
    }
    let index = this.balls.findIndex((b) => distance(b, point) < Math.max(b.r, grip));
    const ghost = index < 0 ? this.#ghostAt(point) : undefined;
    if (ghost) return this.set(ghost.balls);
    if (index < 0) {
      // A click on an empty spot places the next ball, or moves the selected one if all are placed.
      index = this.balls.length < this.count ? this.balls.length : this.selected;
      this.update(index, { r: FIRST_RADIUS, ...this.balls[index], ...point });
    }
    this.selected = index;
    this.#drag = {
      kind: "move",
      dx: this.balls[index].x - point.x,
      dy: this.balls[index].y - point.y,
    };
    this.#changed();
  }

  #ghostAt(point) {
    const near = BADGE / this.view.scale;
    return this.ghosts.findLast(({ balls: [first] }) => distance(first, point) < near);
  }

  /** The distance of two fingers. */
  #spread() {
    const [one, other] = this.#fingers.values();
    return distance(one, other);
  }

  #up(event) {
    if (!this.#fingers.delete(event.pointerId)) return;
    this.#drag = null;
    this.#pinch = 0;
    this.settle();
    this.#changed();
  }

  #move(event) {
    const point = this.view.at(event);
    if (this.#fingers.has(event.pointerId)) this.#fingers.set(event.pointerId, point);
    if (this.#pinch && this.#fingers.size === 2)
      return this.update(this.selected, { r: this.#pinch * this.#spread() });
    if (!this.#drag) return this.#cursor(point);
    const { kind, dx, dy } = this.#drag;
    if (kind === "move") this.update(this.selected, { x: point.x + dx, y: point.y + dy });
    else this.update(this.selected, { r: distance(this.balls[this.selected], point) - dx });
  }

  #cursor(point) {
    const ball = this.balls[this.selected];
    const grip = GRIP / this.view.scale;
    const { dataset } = this.view.canvas;
    if (!this.enabled) dataset.cursor = "";
    else if (ball && distance(this.#handle(ball), point) < grip) dataset.cursor = "size";
    else if (this.balls.some((b) => distance(b, point) < b.r)) dataset.cursor = "move";
    else if (this.#ghostAt(point)) dataset.cursor = "hit";
    else dataset.cursor = "place";
  }

  #wheel(event) {
    const ball = this.balls[this.selected];
    if (!this.enabled || !ball) return;
    event.preventDefault();
    this.update(this.selected, { r: ball.r - Math.sign(event.deltaY) });
    this.settle();
  }

  #key(event) {
    const { ctrlKey, metaKey, altKey, key } = event;
    if (!this.enabled || altKey) return;
    if (ctrlKey || metaKey) {
      if (key !== "z") return;
      this.undo();
    } else if (!this.#obey(event)) return;
    else this.settle();
    event.preventDefault();
    event.stopPropagation();
  }

  #obey({ key, shiftKey }) {
    if (key === "Enter") return this.dispatchEvent(new Event("submit"));
    if (key === "n" && this.balls.length < this.count) {
      this.#add();
      return true;
    }
    if ((key === "1" || key === "2") && this.balls[Number(key) - 1]) {
      this.selected = Number(key) - 1;
      this.#changed();
      return true;
    }
    const arrow = ARROWS[key];
    if (arrow && this.balls.length === 0) this.#add();
    const ball = this.balls[this.selected];
    if (!ball) return false;
    if (arrow) {
      const by = shiftKey ? STRIDE : 1;
      this.update(this.selected, { x: ball.x + arrow[0] * by, y: ball.y + arrow[1] * by });
    } else if (key === "+" || key === "=") this.update(this.selected, { r: ball.r + 1 });
    else if (key === "-" || key === "_") this.update(this.selected, { r: ball.r - 1 });
    else if (key === "Delete" || key === "Backspace") {
      this.set(this.balls.filter((_, i) => i !== this.selected));
    } else return false;
    return true;
  }

  #add() {
    const x = SIZE / 2 + this.balls.length * (MAX_RADIUS * 2);
    this.update(this.balls.length, { x, y: SIZE * 0.8, r: FIRST_RADIUS });
  }

  #changed() {
    this.view.redraw();
    this.dispatchEvent(new Event("change"));
  }
}

function inside(value) {
  return Math.min(Math.max(Math.round(value), 0), SIZE - 1);
}

function distance(a, b) {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function disc(ctx, x, y, r) {
  ctx.beginPath();
  ctx.arc(x, y, r, 0, 2 * Math.PI);
}
