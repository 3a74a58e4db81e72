// Watching an attempt of either benchmark: a scene with playback, and buttons to share it.
import { api } from "../api.js";
import { paintImagined } from "../canvas/goal_marks.js";
import { palette } from "../canvas/palette.js";
import { pathOf } from "../canvas/paths.js";
import { ballBody } from "../canvas/phyre_scene.js";
import { IPHYRE_SIZE, PHYRE_SIZE, SceneView } from "../canvas/scene_view.js";
import { h, replace } from "../dom.js";
import { paintReplay } from "./paint_replay.js";
import { SceneFrame, shareRow } from "./parts.js";
import { Playback } from "./playback.js";
import { Replay, STEPS_PER_SECOND } from "./replay.js";

/** Shows replays one after the other. */
export class Viewer {
  /** @param {"phyre" | "iphyre"} benchmark */
  constructor(benchmark) {
    this.benchmark = benchmark;
    const phyre = benchmark === "phyre";
    this.view = new SceneView({
      size: phyre ? PHYRE_SIZE : IPHYRE_SIZE,
      yUp: phyre,
      label: "Replay",
      paint: (ctx) => this.#data && this.#paint(ctx),
    });
    this.box = new SceneFrame(this.view);
    this.playback = new Playback();
    this.share = h("div");
    this.element = h(
      "div",
      { class: "scene" },
      this.box.element,
      this.playback.element,
      this.share,
    );
    this.playback.addEventListener("step", this.view.redraw);
    this.playback.addEventListener("end", () => this.#verdict());
    addEventListener("keydown", this.#keys);
  }

  /** @type {{ replay: Replay, solved: boolean, paths: Map<number, number[][]>, bodies: any[] }[]} */
  #ghosts = [];
  #data = null;
  #replay = /** @type {Replay | null} */ (null);
  #keys = (event) => this.playback.key(event);

  /** @param {any} data a PhyreReplay or a GameReplay of the server */
  show(data) {
    this.#data = data;
    this.#ghosts = [];
    this.#replay = new Replay(data.trajectory);
    this.box.clear();
    const query =
      this.benchmark === "phyre"
        ? { action: data.action.join(",") }
        : { plan: planText(data.plan), ...(data.hz !== STEPS_PER_SECOND && { hz: data.hz }) };
    const hash = data.link.slice(data.link.indexOf("#"));
    replace(this.share, shareRow(hash, api.films(this.benchmark, data.task ?? data.game, query)));
    this.playback.open(this.#replay.last);
  }

  /** Show what was imagined beside what happens. @param {any[]} attempts of the server's type ImaginedAttempt */
  imagine(attempts) {
    this.#ghosts = attempts.map(({ trajectory, solved }) => {
      const replay = new Replay(trajectory);
      const paths = new Map(trajectory.bodies.map((body) => [body, pathOf(replay, body)]));
      return { replay, solved, paths, bodies: this.#bodies(replay) };
    });
    this.view.redraw();
  }

  #bodies(replay) {
    if (this.benchmark === "phyre")
      return [...this.#data.scene.bodies, ...replay.balls.map(ballBody)];
    return this.#data.bodies.map(({ ends: [x, y], radius }) => ballBody({ x, y, r: radius }));
  }

  close() {
    removeEventListener("keydown", this.#keys);
    this.playback.close();
    this.view.close();
  }

  #paint(ctx) {
    const { step } = this.playback;
    paintReplay(ctx, this.benchmark, this.#data, this.#replay, step);
    for (const ghost of this.#ghosts)
      paintImagined(ctx, ghost, ghost.bodies, step, palette(), 1 / this.view.scale);
  }

  #verdict() {
    const { outcome, solved, reward } = this.#data;
    const good = solved ?? outcome === "solved";
    const points = reward === undefined ? "" : `, ${reward.toFixed(1)} points`;
    this.box.verdict((good ? "Solved" : "Not solved") + points, good ? "good" : "");
  }
}

/** A plan as it is written in links, such as "30:0,75:2". */
export function planText(plan) {
  return plan.map(({ tick, body }) => `${tick}:${body}`).join(",");
}
