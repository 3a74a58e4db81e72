// The play area of an I-PHYRE game, which is waiting, live, or showing a replay.
import { celebrate } from "../canvas/confetti.js";
import { grayAt, paintGame, startOf } from "../canvas/iphyre_scene.js";
import { palette } from "../canvas/palette.js";
import { IPHYRE_SIZE, SceneView } from "../canvas/scene_view.js";
import { announce, h, replace, toast } from "../dom.js";
import { pageLink } from "../router.js";
import { button, chip, reportErrors } from "../widgets.js";
import { attemptTable, comparison } from "./game_panels.js";
import { LiveGame } from "./live_game.js";
import { keyList, legend, SceneFrame, shareRow } from "./parts.js";
import { Playback } from "./playback.js";
import { Replay } from "./replay.js";
import { planText } from "./viewer.js";

const GOAL = "Get every ball out through the bottom by removing gray blocks at the right time.";
const TOUCH_MARGIN = 8; // px around a block within which a touch counts

export class IphyreGame {
  /**
   * @param {import("../api.js").Api} api
   * @param {string} name
   * @param {any} game of the server's type GameScene
   * @param {((progress: any) => void) | null} onprogress in a study: after each attempt
   */
  constructor(api, name, game, onprogress) {
    this.api = api;
    this.name = name;
    this.game = game;
    this.onprogress = onprogress;
    this.study = onprogress !== null;
    this.attempts = [...game.attempts];
    this.poses = new Map();
    this.removed = new Set();
    this.hover = -1;
    this.over = false;
    this.replay = /** @type {Replay | null} */ (null);
    this.grays = game.bodies.flatMap(({ kind }, i) => (kind === "gray" ? [i] : []));
    this.view = new SceneView({
      size: IPHYRE_SIZE,
      yUp: false,
      focusable: true,
      paint: (ctx, view) => this.paint(ctx, view),
      label: `${GOAL} Space starts; keys 1 to ${this.grays.length} remove the gray blocks; R restarts.`,
    });
    this.box = new SceneFrame(this.view);
    this.playback = new Playback();
    this.live = new LiveGame(api, name);
    this.reward = h("span", { class: "reward" });
    this.clock = h("span", { class: "muted" });
    this.bar = h("i");
    this.notes = h("div", { class: "row" });
    this.list = h("div");
    this.compare = h("div");
    this.share = h("div");
    this.again = button("Start", {
      icon: "play",
      kind: "primary big wide",
      onclick: () => this.start(),
    });
    this.element = this.build();
    this.connect();
    this.rest(game.progress);
  }

  build() {
    return h(
      "div",
      { class: "play live" },
      h(
        "div",
        { class: "scene" },
        h("div", { class: "hud" }, this.reward, this.clock),
        h("div", { class: "timer", "aria-hidden": "true" }, this.bar),
        this.box.element,
        this.playback.element,
        this.legend(),
      ),
      h(
        "div",
        { class: "panel" },
        h(
          "section",
          { class: "card stack", "aria-label": "The game" },
          h("p", { class: "goal" }, GOAL),
          this.notes,
          this.again,
          this.share,
        ),
        h(
          "section",
          { class: "card stack", "aria-label": "Attempts" },
          h("h2", {}, "Attempts"),
          this.list,
        ),
        this.compare,
        // The concept of a game reveals how to win it, so studies do not show it.
        !this.study && idea(this.game.concept),
        keys(this.grays.length),
      ),
    );
  }

  legend() {
    const { bodies, sticks, springs } = this.game;
    const shown = new Set(bodies.map(({ kind }) => kind));
    if (sticks.length + springs.length) shown.add("joint");
    return legend("iphyre", shown, this.study);
  }

  connect() {
    const { live, view, playback } = this;
    const on = (name, handler) =>
      live.addEventListener(name, (/** @type {any} */ event) => handler.call(this, event.detail));
    on("started", this.started);
    on("frame", this.frame);
    on("ended", this.ended);
    // The server closes an idle connection; the next start opens another.
    on("problem", ({ code, message }) => code !== "idle" && toast(message));
    on("lost", this.lost);
    view.canvas.addEventListener("pointermove", (event) => this.point(event));
    view.canvas.addEventListener("pointerdown", (event) => this.click(event));
    playback.addEventListener("step", () => view.redraw());
    playback.addEventListener("end", () => this.box.verdict(...verdict(this.shown)));
    this.keys = (event) => this.key(event);
    addEventListener("keydown", this.keys);
  }

  leave() {
    removeEventListener("keydown", this.keys);
    this.live.close();
    this.playback.close();
    this.view.close();
  }

  present = (body) =>
    this.replay
      ? !this.shown.plan.some((e) => e.body === body && e.tick < this.playback.step)
      : !this.removed.has(body);

  paint(ctx, view) {
    const poseOf = this.replay
      ? this.replay.at(this.playback.step)
      : (body) => this.poses.get(body);
    paintGame(ctx, this.game, {
      poseOf,
      present: this.present,
      hover: this.hover,
      light: this.study,
    });
    if (view.byKeys) this.paintKeys(ctx);
  }

  /** Write its key on each gray block, for those who play by keyboard. */
  paintKeys(ctx) {
    ctx.font = "700 17px system-ui, sans-serif";
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillStyle = palette(true).phyre.black;
    this.grays.forEach((body, i) => {
      const [x, y] = startOf(this.game.bodies[body]);
      if (this.present(body)) ctx.fillText(String(i + 1), x, y + 1);
    });
  }

  start() {
    if (this.over) return undefined;
    this.again.blur();
    this.view.canvas.focus({ preventScroll: true });
    return reportErrors(() => this.live.start(), this.again);
  }

  started({ number, counted }) {
    this.replay = null;
    this.playback.close();
    this.poses.clear();
    this.removed.clear();
    this.box.clear();
    replace(this.share);
    replace(this.again, "Restart");
    replace(
      this.notes,
      counted ? chip(`Attempt ${number} of ${this.game.progress.limit}`) : chip("Practice", "warm"),
    );
    announce("The game is running.");
  }

  frame({ tick, removed, poses }) {
    this.game.moving.forEach((body, k) => this.poses.set(body, poses.slice(3 * k, 3 * k + 3)));
    this.removed = new Set(removed);
    if (!this.present(this.hover)) this.hover = -1;
    this.showClock(tick, removed.length);
    this.view.redraw();
  }

  ended({ attempt: done, progress }) {
    this.attempts.push(done);
    this.game.progress = progress;
    this.shown = done;
    this.showClock(done.ticks, done.removed, done.solved);
    this.box.verdict(...verdict(done));
    announce(verdict(done)[0]);
    if (done.solved) celebrate(this.box.element);
    this.rest(progress, false);
    this.onprogress?.(progress);
  }

  lost() {
    toast("The connection was lost, which ended this attempt.");
    this.box.cover(
      button("Reconnect", { icon: "restart", kind: "primary", onclick: () => this.start() }),
    );
  }

  /** Show the progress while no attempt is under way. */
  rest(progress, cover = true) {
    const { attempts, limit, solved } = progress;
    const left = limit - attempts;
    replace(
      this.notes,
      solved && chip("Solved", "good", "check"),
      chip(
        left > 0 ? `${left} of ${limit} attempts left` : "All counted attempts are used",
        left > 0 ? "" : "warm",
      ),
    );
    this.over = this.study && (solved || left <= 0); // the server takes no more attempts
    this.again.hidden = this.over;
    replace(this.again, attempts ? "Play again" : "Start");
    if (cover && !this.over) {
      this.showClock(0, 0);
      this.box.cover(
        button("Start", { icon: "play", kind: "primary", onclick: () => this.start() }),
      );
    }
    replace(
      this.list,
      this.attempts.length
        ? attemptTable(this.attempts, (one) => this.rewatch(one))
        : h(
            "p",
            { class: "muted small" },
            this.study
              ? "No attempts yet."
              : "No attempts yet. The first five count, as in the paper; later ones are practice.",
          ),
    );
    if (!this.study) replace(this.compare, comparison(this.game, this.attempts));
  }

  showClock(tick, removed, solved = false) {
    const { hz, tick_limit: limit } = this.game;
    const reward = (solved ? 1000 : 0) - tick / hz - 10 * removed;
    this.reward.textContent = reward.toFixed(1).replace("-", "−");
    this.clock.textContent = `${(tick / hz).toFixed(1)} of ${limit / hz} s`;
    this.bar.style.transform = `scaleX(${1 - tick / limit})`;
  }

  point(event) {
    const { canvas } = this.view;
    const hit = this.live.running
      ? grayAt(this.game.bodies, this.view.at(event), this.present, slack(event))
      : -1;
    canvas.dataset.cursor = hit >= 0 ? "hit" : "";
    if (hit !== this.hover && event.pointerType === "mouse") {
      this.hover = hit;
      this.view.redraw();
    }
  }

  click(event) {
    if (!this.live.running || event.button !== 0) return;
    const point = this.view.at(event);
    const near = grayAt(this.game.bodies, point, this.present, slack(event));
    // Exact clicks are sent as points, as in the original; a touch beside a block names the block.
    if (near >= 0 && grayAt(this.game.bodies, point, this.present) !== near) this.live.remove(near);
    else this.live.click(point);
  }

  key(event) {
    const typing = event.target.closest?.("input, select, textarea, button, a, dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const body = this.grays[Number(event.key) - 1];
    if (this.live.running && body !== undefined) this.live.remove(body);
    else if (event.key === "r" || event.key === "R") this.start();
    else if (event.key === " " && !this.live.running && this.playback.element.hidden) this.start();
    else return this.live.running || this.playback.key(event);
    event.preventDefault();
  }

  async rewatch(one) {
    if (this.live.running) this.live.stop();
    const plan = planText(one.plan);
    const data = await this.api.get(`replays/iphyre/${encodeURIComponent(this.name)}`, { plan });
    this.shown = one;
    this.replay = new Replay(data.trajectory);
    this.box.clear();
    const link = `${pageLink("replay", "iphyre", this.name)}?${new URLSearchParams({ plan })}`;
    replace(this.share, shareRow(link, this.api.films("iphyre", this.name, { plan })));
    this.playback.open(this.replay.last);
  }
}

function slack({ pointerType }) {
  return pointerType === "mouse" ? 0 : TOUCH_MARGIN;
}

/** @returns {[text: string, kind: string]} */
function verdict({ solved, reward, ticks }) {
  return solved
    ? [`Solved in ${(ticks / 60).toFixed(1)} s, ${reward.toFixed(1)} points`, "good"]
    : ["Not this time", ""];
}

function idea(concept) {
  return h("details", { class: "small" }, h("summary", {}, "A hint"), h("p", {}, concept));
}

function keys(grays) {
  return keyList([
    [["Space"], "start"],
    [[grays > 1 ? `1 – ${grays}` : "1"], "remove a gray block"],
    [["R"], "restart (the attempt still counts)"],
  ]);
}
