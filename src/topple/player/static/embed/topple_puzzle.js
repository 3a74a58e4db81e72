// The element <topple-puzzle>: a puzzle to play in any page, without a server.
//
//   <script type="module" src="topple-puzzle.js"></script>
//   <topple-puzzle task="00013:004"></topple-puzzle>
//   <topple-puzzle game="support"></topple-puzzle>
//   <topple-puzzle><script type="application/json">{"benchmark": ...}</script></topple-puzzle>
//
// After each attempt it fires "attempt"; the event's `detail` is what the page of the player exports.
import { fromAction, toAction } from "../canvas/geometry.js";
import { gameGeometry, grayAt } from "../canvas/iphyre_geometry.js";
import { paintGame } from "../canvas/iphyre_scene.js";
import { palette } from "../canvas/palette.js";
import { ballBody, paintScene } from "../canvas/phyre_scene.js";
import { Placement } from "../canvas/placement.js";
import { IPHYRE_SIZE, PHYRE_SIZE, SceneView } from "../canvas/scene_view.js";
import { h, replace } from "../dom.js";
import { readGames, readTemplate } from "../engine/data.js";
import { loadEngine } from "../engine/engine.js";
import { Replay, STEPS_PER_SECOND } from "../play/replay.js";
import { settings } from "../settings.js";
import { DATA, GAMES, MODULE } from "./embedded.js";

const TOUCH = 10; // px around a block that a finger may miss it by
const LONGEST_PAUSE = 0.1; // seconds between two frames; after more, a hidden page goes on slowly
const STYLE = `
  :host { display: block; max-width: 480px; font: 1rem/1.4 system-ui, sans-serif; }
  :host([hidden]) { display: none; }
  canvas {
    display: block; width: 100%; aspect-ratio: 1; box-sizing: border-box; touch-action: none;
    border: 1px solid #c8ced4; border-radius: 8px; background: #fff; user-select: none;
  }
  canvas[data-cursor="place"] { cursor: crosshair; }
  canvas[data-cursor="move"] { cursor: grab; }
  canvas[data-cursor="size"] { cursor: nesw-resize; }
  canvas[data-cursor="hit"] { cursor: pointer; }
  div { display: flex; gap: 0.8em; align-items: center; margin-top: 0.5em; }
  button {
    font: inherit; font-weight: 600; padding: 0.35em 1.1em; border: 0; border-radius: 6px;
    background: #1463d6; color: #fff; cursor: pointer; white-space: nowrap;
  }
  button:disabled { background: #aab4be; cursor: default; }
  p { margin: 0; }
`;

/** Things that all elements of a page share, each loaded once. @type {Map<string, Promise<any>>} */
const shared = new Map();

function once(name, load) {
  if (!shared.has(name)) {
    const loading = load();
    loading.catch(() => shared.delete(name));
    shared.set(name, loading);
  }
  return shared.get(name);
}

/** Data in base64, or a file of the folder of data. */
async function bytes(text, folder, name) {
  if (text) return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const response = await fetch(new URL(name, folder));
  if (!response.ok) throw new Error(`${response.url} cannot be read (${response.status}).`);
  return response.arrayBuffer();
}

export class TopplePuzzle extends HTMLElement {
  static observedAttributes = ["task", "game", "action", "colours", "data"];

  #root = this.attachShadow({ mode: "open" });
  #play = null; // what is shown
  #version = 0; // of the attributes; a puzzle that comes too late is not shown

  connectedCallback() {
    this.#load();
  }

  disconnectedCallback() {
    this.#version += 1;
    this.#play?.close();
    this.#play = null;
  }

  attributeChangedCallback() {
    if (this.isConnected && this.#version > 0) this.#load();
  }

  async #load() {
    this.#version += 1;
    const version = this.#version;
    this.#play?.close();
    this.#play = null;
    settings.choices.colours = this.getAttribute("colours") === "safe" ? "safe" : "paper";
    replace(this.#root, h("style", {}, STYLE), h("p", { role: "status" }, "Loading the puzzle"));
    try {
      const folder = new URL(this.getAttribute("data") ?? DATA, this.#base());
      const engine = await once("engine", () => loadEngine(bytes(MODULE, folder, "topple.wasm.gz")));
      const puzzle = await this.#puzzle(folder);
      if (version !== this.#version) return;
      const Kind = puzzle.benchmark === "phyre" ? TaskPlay : GamePlay;
      this.#play = new Kind(engine, puzzle, (detail) => this.#tell(detail));
      const { view, button, status } = this.#play;
      const row = h("div", {}, button, status);
      replace(this.#root, h("style", {}, STYLE), view.canvas, row);
      const action = this.getAttribute("action")?.split(",").map(Number);
      if (action?.every(Number.isFinite)) this.#play.start?.(action);
    } catch (error) {
      if (version !== this.#version) return;
      replace(this.#root, h("p", { role: "alert" }, `The puzzle cannot be shown. ${error.message}`));
    }
  }

  /** Attributes are seen from the page, the default from this script. */
  #base() {
    return this.hasAttribute("data") ? document.baseURI : import.meta.url;
  }

  async #puzzle(folder) {
    const written = this.querySelector('script[type="application/json"]');
    const task = this.getAttribute("task");
    const name = this.getAttribute("game");
    const read = () => bytes(GAMES, folder, "games.json.gz").then(readGames);
    if (task !== null) {
      const [id] = task.split(":");
      const file = `tasks/${id}.json.gz`;
      const { tasks, balls } = await once(new URL(file, folder).href, () =>
        bytes("", folder, file).then(readTemplate),
      );
      const found = tasks.find((each) => each.id === task);
      if (!found) throw new Error(`There is no task ${task}.`);
      return { benchmark: "phyre", name: task, balls, ...found };
    }
    const { games, rules } = await once("games", read);
    if (name !== null) {
      const game = games.find((each) => each.name === name);
      if (!game) throw new Error(`There is no game ${name}.`);
      return { benchmark: "iphyre", name, game, rules: rules.play };
    }
    if (!written) throw new Error("Name a task or a game, or write a puzzle into the element.");
    const { benchmark, tier, data, name: title } = JSON.parse(written.textContent);
    if (benchmark === "iphyre") {
      return { benchmark, name: title, game: gameGeometry(data), rules: rules.play };
    }
    const balls = tier === "two_balls" ? 2 : 1;
    return { benchmark: "phyre", name: title, description: title, balls, scene: data };
  }

  #tell(detail) {
    this.dispatchEvent(new CustomEvent("attempt", { detail, bubbles: true, composed: true }));
  }
}

/** A button, a line of text and a scene, which frames of the screen drive. */
class Play {
  button = h("button", { type: "button" });
  status = h("p", { role: "status" });
  #frame = 0;

  /** Call a function with the seconds since the last frame until it returns false. */
  animate(advance) {
    cancelAnimationFrame(this.#frame);
    let clock = performance.now();
    const next = (now) => {
      const seconds = Math.min((now - clock) / 1000, LONGEST_PAUSE);
      clock = now;
      if (advance(Math.max(seconds, 0))) this.#frame = requestAnimationFrame(next);
      this.view.redraw();
    };
    this.#frame = requestAnimationFrame(next);
  }

  /** What the button does, in a word. */
  offer(word, enabled = true) {
    replace(this.button, word);
    this.button.disabled = !enabled;
  }

  close() {
    cancelAnimationFrame(this.#frame);
    this.view.close();
  }
}

/** A PHYRE task: place balls, watch, try again. */
class TaskPlay extends Play {
  constructor(engine, { name, balls, scene, description }, tell) {
    super();
    Object.assign(this, { engine, name, scene, tell });
    engine.phyre.check(scene);
    this.view = new SceneView({
      size: PHYRE_SIZE,
      yUp: true,
      focusable: true,
      label: `${description} Arrow keys move the ball, plus and minus resize it, Enter simulates.`,
      paint: (ctx) => this.paint(ctx),
    });
    this.placement = new Placement(this.view, scene.bodies, balls);
    this.replay = null;
    this.step = 0;
    this.button.addEventListener("click", () => this.act());
    this.placement.addEventListener("submit", () => this.act());
    this.placement.addEventListener("change", () => this.changed());
    this.view.canvas.addEventListener("pointerdown", () => this.replay && this.again(), true);
    this.changed();
    this.status.textContent = description;
  }

  /** Place the balls of an action and simulate it. */
  start(action) {
    this.placement.set(fromAction(action));
    this.act();
  }

  paint(ctx) {
    const { bodies } = this.scene;
    if (!this.replay) {
      paintScene(ctx, bodies, undefined, true);
      this.placement.paint(ctx, palette(true));
      return;
    }
    const all = [...bodies, ...this.replay.balls.map(ballBody)];
    paintScene(ctx, all, this.replay.at(this.step), true);
  }

  changed() {
    if (this.replay) return;
    this.status.textContent = this.placement.status;
    this.offer("Simulate", this.placement.ready);
  }

  act() {
    if (this.replay) return this.again();
    if (!this.placement.ready) return;
    const action = toAction(this.placement.balls);
    const { valid, reason } = this.engine.phyre.validate(this.scene, action);
    if (!valid) {
      this.status.textContent = `This does not fit: ${reason}.`;
      return;
    }
    const { outcome, steps, trajectory } = this.engine.phyre.trajectory(this.scene, action);
    this.replay = new Replay(trajectory);
    this.placement.enabled = false;
    this.step = settings.reducedMotion ? this.replay.last : 0;
    this.offer("Try again");
    this.status.textContent = "";
    this.animate((seconds) => {
      if (!this.replay) return false;
      this.step = Math.min(this.step + seconds * STEPS_PER_SECOND, this.replay.last);
      if (this.step < this.replay.last) return true;
      this.status.textContent = outcome === "solved" ? "Solved!" : "Not solved yet.";
      return false;
    });
    this.tell({ benchmark: "phyre", task: this.name, action, outcome, steps });
  }

  again() {
    this.replay = null;
    this.placement.enabled = true;
    this.changed();
    this.view.redraw();
  }
}

/** An I-PHYRE game: start the clock, and remove gray blocks in time. */
class GamePlay extends Play {
  constructor(engine, { name, game, rules }, tell) {
    super();
    Object.assign(this, { name, game, rules, tell });
    this.world = engine.iphyre.world(game, rules);
    this.running = false;
    this.gray = game.bodies.flatMap((body, k) => (body.kind === "gray" ? [k] : []));
    this.view = new SceneView({
      size: IPHYRE_SIZE,
      yUp: false,
      focusable: true,
      label:
        "Get all red balls out of the scene by removing gray blocks. Space starts, and the keys " +
        `1 to ${this.gray.length} remove blocks.`,
      paint: (ctx) => this.paint(ctx),
    });
    this.hover = -1;
    this.button.addEventListener("click", () => this.begin());
    const { canvas } = this.view;
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerdown", (event) => this.remove(this.under(event)));
    canvas.addEventListener("keydown", (event) => this.key(event));
    this.offer("Start");
    this.status.textContent = "Get all red balls out: start, then click gray blocks away.";
  }

  paint(ctx) {
    const state = this.world.state();
    const { present } = this.world;
    paintGame(ctx, this.game, {
      poseOf: (body) => /** @type {any} */ (state.subarray(6 * body, 6 * body + 3)),
      present: (body) => present[body],
      hover: this.hover,
      light: true,
    });
  }

  begin() {
    this.world.reset();
    this.running = true;
    this.late = 0; // ticks that are due
    this.offer("Restart");
    this.view.canvas.focus({ preventScroll: true });
    this.animate((seconds) => {
      if (!this.running) return false;
      this.late += seconds * this.rules.hz;
      const due = Math.floor(this.late);
      this.late -= due;
      if (due > 0 && this.world.step(due)) this.end();
      else this.status.textContent = `${(this.world.tick / this.rules.hz).toFixed(1)} s`;
      return this.running;
    });
  }

  end() {
    const { solved, tick, reward, removals } = this.world;
    this.running = false;
    this.offer("Play again");
    const seconds = (tick / this.rules.hz).toFixed(1);
    this.status.textContent = solved
      ? `Solved in ${seconds} s: reward ${reward.toFixed(1)}.`
      : `Time is up: reward ${reward.toFixed(1)}.`;
    const plan = [...removals];
    this.tell({ benchmark: "iphyre", game: this.name, plan, solved, ticks: tick, reward });
  }

  under(event) {
    const { present } = this.world;
    const slack = event.pointerType === "touch" ? TOUCH : 0;
    return grayAt(this.game.bodies, this.view.at(event), (body) => present[body], slack);
  }

  point(event) {
    this.hover = this.running ? this.under(event) : -1;
    this.view.canvas.dataset.cursor = this.hover >= 0 ? "hit" : "";
    this.view.redraw();
  }

  remove(body) {
    if (!this.running || body === undefined || body < 0) return;
    this.world.remove(body);
    this.hover = -1;
  }

  key(event) {
    if (event.key === " ") this.begin();
    else if (!/^[1-9]$/.test(event.key)) return;
    else this.remove(this.gray[Number(event.key) - 1]);
    event.preventDefault();
  }

  close() {
    this.running = false;
    super.close();
    this.world.free();
  }
}

if (!customElements.get("topple-puzzle")) customElements.define("topple-puzzle", TopplePuzzle);
