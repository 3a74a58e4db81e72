// The play area of a PHYRE task, in which balls are placed or an attempt is watched.
import { celebrate } from "../canvas/confetti.js";
import { fromAction, toAction } from "../canvas/geometry.js";
import { paintGhost, paintGoal, paintHint, paintRing } from "../canvas/goal_marks.js";
import { palette } from "../canvas/palette.js";
import { paintPaths, pathOf } from "../canvas/paths.js";
import { ballBody, paintScene } from "../canvas/phyre_scene.js";
import { Placement } from "../canvas/placement.js";
import { PHYRE_SIZE, SceneView } from "../canvas/scene_view.js";
import { announce, count, h, replace } from "../dom.js";
import { icon } from "../icons.js";
import { pageLink } from "../router.js";
import { settings } from "../settings.js";
import { play as sound } from "../sound.js";
import { button, chip, reportErrors } from "../widgets.js";
import { ballFields } from "./ball_fields.js";
import { breaks, certainMoment, heldAt } from "./certainty.js";
import { Coach } from "./coach.js";
import { hintBox } from "./hints.js";
import { newestOnly } from "./newest.js";
import { goalSentence, keyList, legend, SceneFrame, shareRow, Success } from "./parts.js";
import { standingCard } from "./phyre_standing.js";
import { Playback } from "./playback.js";
import { Replay } from "./replay.js";

const WALLS = 4; // the first bodies of a scene, outside the picture
const PAST = 60; // attempts shown at most
const GHOSTS = 4; // earlier tries that stay in the scene
const VALIDATE_AFTER = 180; // ms without movement
const LESSON = [
  "Tap or click the empty space to place your ball.",
  "Drag the ball to move it. Drag the small white handle, turn the wheel or pinch to change its size.",
  "Press Simulate, and watch what happens.",
];
const AFTER_A_MISS =
  "Not yet! Your try stays as a ghost. Move the ball or change its size, and simulate again.";

export class PhyreTask {
  /**
   * @param {import("../api.js").Api} api
   * @param {string} path of the task
   * @param {any} task of the server's type TaskScene
   * @param {((progress: any) => void) | null} onprogress in a study: after each attempt
   * @param {boolean} [lesson] whether this is somebody's first puzzle
   */
  constructor(api, path, task, onprogress, lesson = false) {
    this.api = api;
    this.path = path;
    this.task = task;
    this.onprogress = onprogress;
    this.study = onprogress !== null;
    this.replay = /** @type {Replay | null} */ (null);
    this.coach = lesson ? new Coach(LESSON) : null;
    this.view = new SceneView({
      size: PHYRE_SIZE,
      yUp: true,
      focusable: true,
      paint: (ctx) => this.paint(ctx),
      label: `${task.description} Arrow keys move the ball, plus and minus change its size, Enter simulates.`,
    });
    this.placement = new Placement(this.view, task.scene.bodies, task.balls);
    this.box = new SceneFrame(this.view);
    this.playback = new Playback();
    this.go = button("Simulate", {
      icon: "play",
      kind: "primary big wide",
      onclick: () => this.act(),
    });
    this.clear = button("Clear", {
      icon: "trash",
      kind: "quiet",
      onclick: () => this.placement.set([]),
    });
    this.undo = button("Undo", {
      icon: "undo",
      kind: "quiet",
      onclick: () => this.placement.undo(),
    });
    this.success = new Success("phyre", task.id, this.study || task.id.startsWith("own:"));
    this.status = h("p", { class: "status", role: "status" });
    this.dots = h("div", { class: "dots", role: "group", "aria-label": "Your attempts" });
    this.share = h("div", { class: "row" });
    this.standing = h("div");
    this.notes = h("div", { class: "row" });
    this.element = this.build();
    this.connect();
    if (!this.study) api.prepare().then(() => this.traceGhosts());
  }

  timer = 0;
  ways = new Map(); // of the balls of earlier tries, by their actions
  foreseen = /** @type {any} */ (null); // what the placed balls would do, once the task is solved
  over = false;
  hint = /** @type {any} */ (null);
  progress = null; // after an attempt whose end has not been shown yet

  build() {
    return h(
      "div",
      { class: "play" },
      h(
        "div",
        { class: "scene" },
        goalSentence(this.task.description),
        this.coach?.element,
        this.box.element,
        this.playback.element,
        this.legend(),
      ),
      h(
        "div",
        { class: "panel" },
        h(
          "section",
          { class: "card stack", "aria-label": "Your move" },
          this.notes,
          this.status,
          this.success.next,
          this.go,
          h("div", { class: "row" }, this.undo, this.clear),
          h(
            "details",
            { class: "small numbers", open: this.study || settings.science },
            h("summary", {}, "Position and size"),
            ballFields(this.placement),
          ),
          !this.study && this.hints(),
          this.share,
        ),
        h(
          "section",
          { class: "card stack", "aria-label": "Attempts" },
          h("h2", {}, "Attempts"),
          this.dots,
        ),
        this.standing,
        keys(this.task.balls),
      ),
    );
  }

  legend() {
    const colours = this.task.scene.bodies.slice(WALLS).map((body) => body.color);
    return legend("phyre", new Set(["red", ...colours]), this.study);
  }

  hints() {
    return hintBox({
      api: this.api,
      path: this.path,
      counts: () => !this.task.progress.shown && !this.task.progress.solved,
      show: (hint) => {
        this.hint = hint;
        this.task.progress.shown = true;
        this.showProgress(this.task.progress);
        if (this.replay) this.again();
        this.view.redraw();
      },
      solve: () => this.showSolution(),
    });
  }

  connect() {
    const { placement, playback, view } = this;
    placement.addEventListener("change", () => this.moved());
    placement.addEventListener("submit", () => this.act());
    playback.addEventListener("step", () => this.stepped());
    playback.addEventListener("end", () => this.showVerdict());
    // Touching the scene after an attempt returns to placing balls.
    view.canvas.addEventListener("pointerdown", () => this.replay && this.again(), {
      capture: true,
    });
    view.canvas.addEventListener(
      "keydown",
      (event) => {
        if (this.replay && event.key === "Enter") {
          event.preventDefault();
          event.stopImmediatePropagation();
          this.again();
        }
      },
      { capture: true },
    );
    this.keys = (event) => playback.key(event);
    addEventListener("keydown", this.keys);
  }

  leave() {
    removeEventListener("keydown", this.keys);
    clearTimeout(this.timer);
    this.playback.close();
    this.view.close();
  }

  async start(action) {
    const attempts = await this.api.last(`${this.path}/attempts`, PAST);
    this.past = attempts;
    const given = action?.split(",").map(Number).filter(Number.isFinite) ?? attempts.at(-1)?.action;
    this.placement.set(given ? fromAction(given) : []);
    this.showProgress(this.task.progress);
    this.refreshStanding();
  }

  paint(ctx) {
    const { bodies, goal } = this.task.scene;
    const colours = palette(this.study);
    const unit = 1 / this.view.scale;
    if (this.replay) {
      const all = [...bodies, ...this.replay.balls.map(ballBody)];
      const poseOf = this.replay.at(this.playback.step);
      paintScene(ctx, all, poseOf, this.study);
      if (goal) paintRing(ctx, bodies, goal, poseOf, this.ring(), colours.over, unit);
      return;
    }
    paintScene(ctx, bodies, undefined, this.study);
    // Participants see the scene as it was published.
    if (goal && !this.study) paintGoal(ctx, bodies, goal, colours, unit);
    if (this.hint) paintHint(ctx, this.hint, bodies, colours.over, unit);
    for (const ghost of this.placement.ghosts) {
      const ways = this.ways.get(String(ghost.action));
      if (ways) paintPaths(ctx, ways, colours.over.ghost, unit, 0.35);
      paintGhost(ctx, ghost, colours.over, unit);
    }
    for (const { path, color } of this.foreseen?.paths ?? [])
      paintPaths(ctx, [path], colours.phyre[color], unit, 0.7);
    this.placement.paint(ctx, colours);
  }

  /** How full the ring is, and how many seconds ago it broke. */
  ring() {
    const { touching, hold, last } = this.replay;
    const { step } = this.playback;
    const broken = breaks(touching, last).findLast((moment) => moment <= step);
    return {
      share: hold ? heldAt(touching, step) / hold : 0,
      since: broken === undefined ? null : (step - broken) / 60,
    };
  }

  /** The recording has moved on: draw it, and let contacts be heard. */
  stepped() {
    this.view.redraw();
    if (!this.replay || !this.playback.playing) return;
    const holds = heldAt(this.replay.touching, this.playback.step) > 0;
    if (holds !== this.held) sound(holds ? "touch" : "lost");
    this.held = holds;
  }

  /** A ball was moved: check the approximate rules now, and the exact ones after a pause. */
  moved() {
    const { placement } = this;
    if (this.replay) return this.again();
    this.undo.disabled = !placement.canUndo;
    this.teach();
    clearTimeout(this.timer);
    this.say(
      placement.status,
      placement.ready ? "good" : placement.faults.some(Boolean) ? "bad" : "",
    );
    this.go.disabled = !placement.ready;
    this.clear.disabled = placement.balls.length === 0;
    this.foreseen = null;
    if (placement.ready)
      this.timer = setTimeout(() => this.examine(), this.api.instant ? 0 : VALIDATE_AFTER);
  }

  /** Check the balls by the exact rules; those of a solved task show where they would go. */
  examine = newestOnly(async () => {
    if (this.study || !this.api.instant || !this.task.progress.solved) return this.validate();
    const action = toAction(this.placement.balls);
    const data = await this.replayOf(action).catch(() => null);
    if (!data) return this.validate();
    if (this.replay || String(action) !== String(toAction(this.placement.balls))) return;
    const replay = new Replay(data.trajectory);
    const { bodies, goal } = this.task.scene;
    const shown = [...bodies, ...replay.balls.map(ballBody)];
    const paths = shown.flatMap(({ color }, body) =>
      body >= bodies.length || goal?.includes(body) ? [{ color, path: pathOf(replay, body) }] : [],
    );
    this.foreseen = { paths };
    this.say(`This ${data.outcome === "solved" ? "would" : "would not"} solve it.`, "");
    this.view.redraw();
  });

  /** Simulate an action; it is no attempt. */
  replayOf(action) {
    const query = { action: action.join(","), stride: 1 };
    return this.api.get(`replays/phyre/${encodeURIComponent(this.task.id)}`, query);
  }

  /** Find out where the balls of earlier tries went, unless that takes too long. */
  async traceGhosts() {
    if (!this.api.instant) return;
    for (const { action } of this.placement.ghosts) {
      if (this.ways.has(String(action))) continue;
      const data = await this.replayOf(action).catch(() => null);
      const replay = data && new Replay(data.trajectory);
      const balls = replay?.balls.map((_, k) => this.task.scene.bodies.length + k) ?? [];
      this.ways.set(String(action), balls.map((body) => pathOf(replay, body)));
    }
    this.view.redraw();
  }

  async validate() {
    const action = toAction(this.placement.balls);
    const { valid, reason } = await this.api
      .post(`${this.path}/validate`, { action })
      .catch(() => ({ valid: true }));
    if (valid || this.replay || String(action) !== String(toAction(this.placement.balls))) return;
    this.say(reason, "bad");
    this.go.disabled = true;
  }

  /** Go on with the lesson of a first puzzle. */
  teach() {
    const [ball] = this.placement.balls;
    if (!this.coach || !ball) return;
    this.coach.done(0);
    this.first ??= { ...ball };
    const { x, y, r } = this.first;
    if (ball.r !== r || Math.hypot(ball.x - x, ball.y - y) > 3) this.coach.done(1);
  }

  say(text, kind) {
    this.status.textContent = text;
    this.status.className = `status ${kind}`;
  }

  act() {
    if (this.replay) this.again();
    else if (this.placement.ready) reportErrors(() => this.simulate(), this.go);
    else announce(this.placement.status);
  }

  async simulate() {
    clearTimeout(this.timer);
    sound("run");
    this.coach?.done(2);
    const action = toAction(this.placement.balls);
    const result = await this.api.post(`${this.path}/attempts`, { action, stride: 1 });
    if (result.outcome === "invalid") return this.say(result.reason, "bad");
    const { id, number, outcome, counted } = result;
    this.past.push({ id, number, action, outcome, counted });
    this.verdict = verdictOf(result);
    this.celebration = outcome === "solved";
    this.progress = result.progress;
    this.task.progress = result.progress;
    this.watch(result.trajectory, action, outcome === "solved");
  }

  /** Show a recording instead of the balls that are being placed. */
  watch(trajectory, action, solved) {
    this.replay = new Replay(trajectory);
    this.held = false;
    this.placement.enabled = false;
    this.box.clear();
    this.box.reveal();
    this.say("You are watching the attempt.", "");
    replace(this.go, "Try again");
    this.go.disabled = false;
    const query = { action: action.join(",") };
    const link = `${pageLink("replay", "phyre", this.task.id)}?${new URLSearchParams(query)}`;
    // The server gives no films to participants of a study.
    const films = this.study ? null : this.api.films("phyre", this.task.id, query);
    replace(this.share, films && shareRow(link, films));
    this.playback.open(this.replay.last, { end: certainMoment(this.replay, solved) });
  }

  again() {
    this.settle();
    if (this.over) return;
    this.replay = null;
    this.playback.close();
    this.box.clear();
    this.success.hide();
    this.go.classList.add("primary");
    replace(this.share);
    replace(this.go, icon("play"), "Simulate");
    this.placement.enabled = true;
    this.moved();
    this.view.redraw();
  }

  showVerdict() {
    if (!this.verdict) return;
    const [text, kind] = this.verdict;
    this.box.verdict(text, kind);
    this.say(text, kind === "good" ? "good" : "");
    if (this.celebration !== null) {
      sound(this.celebration ? "solved" : "fail");
      if (this.celebration) {
        celebrate(this.box.element);
        this.coach?.close();
        this.go.classList.toggle("primary", this.study);
        this.success.show(this.box, { ...this.task.progress, practised: true });
      } else this.coach?.say(AFTER_A_MISS);
    }
    this.celebration = null;
    this.settle();
  }

  /** Show the progress once after each attempt. */
  settle() {
    const { progress } = this;
    if (!progress) return;
    this.progress = null;
    this.over = this.study && (progress.solved || progress.attempts >= progress.limit);
    this.go.hidden = this.over; // the server takes no more attempts
    this.showProgress(progress);
    this.refreshStanding();
    this.onprogress?.(progress);
  }

  showProgress({ attempts, limit, solved, solved_at: at, shown }) {
    replace(
      this.notes,
      solved && chip(`Solved on attempt ${at}`, "good", "check"),
      shown && chip("Hint taken: attempts no longer count", "warm"),
      !solved &&
        !shown &&
        (this.study || settings.science
          ? chip(`${attempts} of ${limit} attempts`)
          : attempts > 0 && chip(count(attempts, "attempt"))),
    );
    const recent = this.past.slice(-PAST);
    this.placement.ghosts = this.study
      ? []
      : recent.slice(-GHOSTS).map(({ number, action, outcome }) => ({
          number,
          action,
          balls: fromAction(action),
          solved: outcome === "solved",
        }));
    this.traceGhosts();
    replace(
      this.dots,
      recent.length
        ? recent.map((one) => this.dot(one))
        : h(
            "p",
            { class: "muted small" },
            this.study ? "No attempts yet." : "Your tries will be kept here.",
          ),
      !this.study && recent.length > 0 && this.startFrom(recent.slice(-GHOSTS)),
    );
  }

  /** Buttons that place the balls of an earlier try again. */
  startFrom(recent) {
    return h(
      "p",
      { class: "start-from small muted" },
      "Start from",
      recent.map(({ number, action }) =>
        button(String(number), {
          icon: "restart",
          "aria-label": `Start from attempt ${number}`,
          onclick: () => {
            if (this.replay) this.again();
            this.placement.set(fromAction(action));
          },
        }),
      ),
    );
  }

  dot(past) {
    const { number, outcome, counted } = past;
    const word = outcome === "solved" ? "solved" : "not solved";
    const kind = `${outcome === "solved" ? "hit" : "miss"} ${counted ? "" : "practice"}`;
    return h(
      "button",
      {
        type: "button",
        class: kind,
        title: `Attempt ${number}: ${word}`,
        "aria-label": `Watch attempt ${number}, ${word}`,
        onclick: () => reportErrors(() => this.rewatch(past)),
      },
      number,
    );
  }

  async rewatch({ number, action, outcome }) {
    const { trajectory } = await this.replayOf(action);
    this.placement.set(fromAction(action));
    this.verdict = [
      `Attempt ${number}: ${outcome === "solved" ? "solved" : "not solved"}`,
      outcome === "solved" ? "good" : "",
    ];
    this.celebration = null;
    this.watch(trajectory, action, outcome === "solved");
  }

  async showSolution() {
    const { action, source, trajectory } = await this.api.post(`${this.path}/solution`);
    const { progress } = (this.task = { ...this.task, ...(await this.api.get(this.path)) });
    this.placement.set(fromAction(action));
    this.verdict = [`A solution (${source})`, "warm"];
    this.celebration = null;
    this.showProgress(progress);
    this.watch(trajectory, action, true);
    this.box.verdict(this.verdict[0], this.verdict[1]);
  }

  refreshStanding() {
    if (this.study || !settings.science || this.task.id.startsWith("own:")) return;
    standingCard(this.api, this.task.tier).then(
      (card) => replace(this.standing, card),
      () => {},
    );
  }
}

function verdictOf({ outcome, number, counted, steps }) {
  if (outcome !== "solved") return ["Not this time", ""];
  const seconds = ((steps + 1) / 60).toFixed(1);
  return [
    counted
      ? `Solved on attempt ${number}, in ${seconds} s`
      : `Solved as practice, in ${seconds} s`,
    "good",
  ];
}

function keys(balls) {
  const second =
    balls === 2
      ? [
          [["1", "2"], "choose a ball"],
          [["N"], "add the second ball"],
        ]
      : [];
  return keyList([
    [["←", "↑", "→", "↓"], "move by one pixel, or by eight with Shift"],
    [["+", "−"], "change the radius, as do the wheel and the handle on the rim"],
    ...second,
    [["Enter"], "simulate, then try again"],
    [["Space"], "play or pause"],
    [[",", "."], "go one step back or forward"],
    [["Ctrl", "Z"], "undo a change of the ball"],
  ]);
}
