// The play area of an I-PHYRE game, which is waiting, live, or showing a replay.
import { celebrate } from "../canvas/confetti.js";
import { grayAt, startOf } from "../canvas/iphyre_geometry.js";
import { paintGame } from "../canvas/iphyre_scene.js";
import { palette } from "../canvas/palette.js";
import { paintPaths, pathOf } from "../canvas/paths.js";
import { IPHYRE_SIZE, SceneView } from "../canvas/scene_view.js";
import { announce, h, replace, toast } from "../dom.js";
import { term } from "../glossary.js";
import { pageLink } from "../router.js";
import { settings } from "../settings.js";
import { play as sound } from "../sound.js";
import { button, chip, reportErrors } from "../widgets.js";
import { attemptTable, comparison } from "./game_panels.js";
import { LiveGame } from "./live_game.js";
import { Coach } from "./coach.js";
import { hintBox } from "./hints.js";
import { newestOnly } from "./newest.js";
import { keyList, legend, SceneFrame, shareRow, Success } from "./parts.js";
import { Playback } from "./playback.js";
import { Replay } from "./replay.js";
import { Timeline } from "./timeline.js";
import { planText } from "./viewer.js";

const GOAL = "Get every ball out through the bottom by removing gray blocks at the right time.";
const LESSON = [
  "Press Start: the clock runs, and the balls begin to move.",
  "Click a gray block to remove it. Which one, and when? That is the puzzle.",
];
const WHAT_IF = "What if";
const GHOSTS = 3; // earlier plays on the timeline
const TOUCH_MARGIN = 8; // px around a block within which a touch counts

export class IphyreGame {
  /**
   * @param {import("../api.js").Api} api
   * @param {string} name
   * @param {any} game of the server's type GameScene
   * @param {((progress: any) => void) | null} onprogress in a study: after each attempt
   * @param {boolean} [lesson] whether this is somebody's first game
   */
  constructor(api, name, game, onprogress, lesson = false) {
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
    this.coach = lesson ? new Coach(LESSON) : null;
    this.success = new Success("iphyre", name, this.study || name.startsWith("own:"));
    this.timeline = new Timeline(game, (body) => this.grays.indexOf(body) + 1);
    this.ghost = /** @type {Replay | null} */ (null); // the play before, seen beside the live one
    this.hint = /** @type {any} */ (null);
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
    this.skip = button("Skip to the result", {
      icon: "skip",
      kind: "wide",
      hidden: true,
      onclick: () => this.live.stop(),
    });
    this.resume = button("Play on from here", {
      icon: "play",
      kind: "wide",
      hidden: true,
      onclick: () => this.start(this.moment()),
    });
    this.sum = h("p", { class: "small sum" });
    this.element = this.build();
    this.connect();
    this.rest(game.progress);
    if (!this.study) api.prepare();
  }

  foreseen = /** @type {number[][][]} */ ([]); // the paths of the balls in a plan that is being changed

  build() {
    return h(
      "div",
      { class: "play live" },
      h(
        "div",
        { class: "scene" },
        h("p", { class: "goal" }, GOAL),
        this.coach?.element,
        h(
          "div",
          { class: "hud" },
          h("span", { class: "points" }, this.reward, " points"),
          this.clock,
        ),
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
          this.notes,
          this.success.next,
          this.again,
          this.skip,
          this.resume,
          this.sum,
          !this.study && this.hints(),
          this.share,
        ),
        !this.study && this.timeline.element,
        h(
          "section",
          { class: "card stack", "aria-label": "Attempts" },
          h("h2", {}, "Attempts"),
          this.list,
        ),
        this.compare,
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

  hints() {
    const path = `iphyre/games/${encodeURIComponent(this.name)}`;
    return hintBox({
      api: this.api,
      path,
      counts: () => !this.game.progress.shown && !this.game.progress.solved,
      show: (hint) => {
        this.hint = hint;
        this.game.progress.shown = true;
        this.view.redraw();
      },
      solve: async () => {
        const data = await this.api.post(`${path}/solution`);
        this.game.progress.shown = true;
        this.watch(data, "A solution");
      },
    });
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
    playback.addEventListener("step", () => {
      view.redraw();
      this.showMoment();
    });
    playback.addEventListener("end", () => this.box.verdict(...verdict(this.shown)));
    this.timeline.addEventListener("move", (/** @type {any} */ { detail }) => this.foresee(detail));
    this.timeline.addEventListener("change", (/** @type {any} */ { detail }) =>
      reportErrors(() => this.whatIf(detail)),
    );
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
      ghost: this.live.running && this.ghost ? this.ghost.at(this.live.tick) : undefined,
      hint: this.live.running || this.replay ? undefined : (this.hint?.body ?? undefined),
    });
    paintPaths(ctx, this.foreseen, palette(this.study).iphyre.ball, 1 / view.scale);
    if (view.byKeys || (this.replay && !this.study)) this.paintKeys(ctx);
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

  /** @param {{ tick?: number, removals?: number[][] }} [earlier] the play to take up */
  start(earlier) {
    if (this.over) return undefined;
    if (earlier) this.ghost = this.replay;
    this.again.blur();
    this.view.canvas.focus({ preventScroll: true });
    return reportErrors(() => this.live.start(earlier), this.again);
  }

  /** The moment of the play that is shown, and what was removed before it. */
  moment() {
    const tick = Math.floor(this.playback.step);
    const before = this.shown.plan.filter((one) => one.tick < tick);
    return { tick, removals: before.map(({ tick: when, body }) => [when, body]) };
  }

  /** Offer to play on from the moment that is shown. */
  showMoment() {
    const tick = Math.floor(this.playback.step);
    this.resume.hidden = this.study || !this.replay || tick < 1 || tick >= this.shown.ticks;
    replace(this.resume, `Play on from ${(tick / this.game.hz).toFixed(1)} s`);
  }

  started({ number, counted }) {
    this.replay = null;
    this.foreseen = [];
    this.resume.hidden = true;
    this.playback.close();
    this.poses.clear();
    this.removed.clear();
    this.box.clear();
    this.box.reveal();
    this.timeline.hide();
    this.success.hide();
    this.sum.textContent = "";
    this.again.classList.add("primary");
    this.coach?.done(0);
    replace(this.share);
    replace(this.again, "Restart");
    replace(
      this.notes,
      counted ? chip(`Attempt ${number} of ${this.game.progress.limit}`) : chip("Practice", "warm"),
    );
    sound("run");
    announce("The game is running.");
  }

  frame({ tick, removed, poses }) {
    this.game.moving.forEach((body, k) => this.poses.set(body, poses.slice(3 * k, 3 * k + 3)));
    if (removed.length > this.removed.size) {
      sound("remove");
      this.coach?.done(1);
    }
    this.removed = new Set(removed);
    this.skip.hidden = removed.length < this.grays.length;
    if (!this.present(this.hover)) this.hover = -1;
    this.showClock(tick, removed.length);
    this.view.redraw();
  }

  ended({ attempt: done, progress }) {
    this.attempts.push(done);
    this.game.progress = progress;
    this.shown = done;
    this.skip.hidden = true;
    this.showClock(done.ticks, done.removed, done.solved);
    replace(this.sum, this.explain(done));
    this.box.verdict(...verdict(done));
    announce(verdict(done)[0]);
    sound(done.solved ? "solved" : "fail");
    this.rest(progress, false);
    if (done.solved) {
      celebrate(this.box.element);
      this.coach?.close();
      this.again.classList.toggle("primary", this.study);
      this.success.show(this.box, { ...progress, practised: true });
    }
    this.onprogress?.(progress);
    if (!this.study) this.keepGhost(done);
  }

  /** Say how the points of a play come about. */
  explain({ solved, ticks, removed, reward }) {
    const { hz } = this.game;
    return [
      term("Score", "score"),
      `: ${solved ? "1000 for success" : "0, as a ball is still there"} − ${(ticks / hz).toFixed(1)} for the seconds − 10 × ${removed} for removed blocks = `,
      h("b", {}, points(reward)),
    ];
  }

  /** Keep the play that has just ended: on the timeline, and as a ghost beside the next one. */
  async keepGhost(done) {
    this.timeline.show(
      done.plan,
      this.attempts.slice(-GHOSTS - 1, -1).map(({ plan }) => plan),
      `Attempt ${done.number}`,
    );
    const data = await this.recall(done.plan).catch(() => null);
    if (data) this.ghost = new Replay(data.trajectory);
  }

  /** Simulate a plan. */
  recall(plan) {
    return this.api.get(`replays/iphyre/${encodeURIComponent(this.name)}`, {
      plan: planText(plan),
    });
  }

  /** Show what another plan would have led to. */
  async whatIf(plan) {
    const data = await this.recall(plan);
    this.watch(data, WHAT_IF);
    this.showResult(data);
  }

  /** Show where the balls would go while a plan is being changed, unless that takes too long. */
  foresee = newestOnly(async (plan) => {
    if (!this.api.instant || this.live.running) return;
    const data = await this.recall(plan).catch(() => null);
    if (!data) return;
    const replay = new Replay(data.trajectory);
    const balls = this.game.bodies.flatMap(({ kind }, body) => (kind === "ball" ? [body] : []));
    this.foreseen = balls.map((body) => pathOf(replay, body));
    this.showResult(data);
    this.view.redraw();
  });

  showResult(data) {
    const [text] = verdict(data);
    this.timeline.result.textContent = `${text}${data.solved ? "" : `, ${points(data.reward)} points`}. This is not an attempt.`;
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
      progress.shown && chip("Hint taken: attempts no longer count", "warm"),
      (this.study ? !solved : settings.science || attempts > 0) &&
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
              : "Your plays will be kept here. The first five count, as in the paper.",
          ),
    );
    if (!this.study && settings.science)
      replace(this.compare, comparison(this.game, this.attempts));
  }

  showClock(tick, removed, solved = false) {
    const { hz, tick_limit: limit } = this.game;
    const reward = (solved ? 1000 : 0) - tick / hz - 10 * removed;
    this.reward.textContent = points(reward);
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
    const data = await this.recall(one.plan);
    const earlier = this.attempts.filter(({ number }) => number < one.number).slice(-GHOSTS);
    this.timeline.show(
      one.plan,
      earlier.map(({ plan }) => plan),
      `Attempt ${one.number}`,
    );
    replace(this.sum, this.explain(one));
    this.watch(data, `Attempt ${one.number}`);
  }

  /** Show a simulated play. @param {any} data of the server's type GameReplay */
  watch(data, title) {
    const plan = planText(data.plan);
    this.shown = data;
    this.replay = new Replay(data.trajectory);
    if (title !== WHAT_IF) this.foreseen = [];
    this.success.hide();
    this.box.clear();
    this.box.reveal();
    announce(title);
    const link = `${pageLink("replay", "iphyre", this.name)}?${new URLSearchParams({ plan })}`;
    // The server gives no films to participants of a study.
    const films = this.study ? null : this.api.films("iphyre", this.name, { plan });
    replace(this.share, films && shareRow(link, films));
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

function points(reward) {
  return reward.toFixed(1).replace("-", "−");
}

function keys(grays) {
  return keyList([
    [["Space"], "start"],
    [[grays > 1 ? `1 – ${grays}` : "1"], "remove a gray block"],
    [["R"], "restart (the attempt still counts)"],
  ]);
}
