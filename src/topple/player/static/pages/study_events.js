// What happens on the page of a participant, by two clocks of this machine; the server adds its own.
import { toAction } from "../canvas/geometry.js";

const PAUSE = 120; // ms without a change after which a placement is noted
const INTERVAL = 2000; // ms between two calls
const BATCH = 100; // events in a call, at most

/** Collects events and sends them until the server has them; a call may be repeated. */
export class StudyEvents {
  /** @param {import("../api.js").Api} api of the participant */
  constructor(api) {
    this.api = api;
    this.page = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) =>
      byte.toString(16).padStart(2, "0"),
    ).join("");
    this.timer = setInterval(() => this.flush(), INTERVAL);
    for (const [target, name] of this.#focusEvents()) target.addEventListener(name, this.#focus);
    addEventListener("pagehide", this.#hide);
    this.note("page_opened");
  }

  #queue = [];
  #sequence = 0;
  #focused = true;
  #online = true;
  #sending = /** @type {Promise<void> | null} */ (null);
  #unwatch = () => {};

  #focusEvents() {
    return /** @type {[EventTarget, string][]} */ ([
      [window, "focus"],
      [window, "blur"],
      [document, "visibilitychange"],
    ]);
  }

  #focus = () => {
    const focused = document.visibilityState === "visible" && document.hasFocus();
    if (focused === this.#focused) return;
    this.#focused = focused;
    this.note(focused ? "focus_gained" : "focus_lost");
    if (!focused) this.flush();
  };

  #hide = () => void this.flush();

  /** Note an event; the server adds when it got it. */
  note(event, { puzzle = this.puzzle ?? null, value = null } = {}) {
    this.#queue.push({
      event,
      sequence: this.#sequence++,
      page_time: Date.now(),
      page_clock: performance.now(),
      puzzle,
      value,
    });
  }

  /** Send what has not been sent yet. */
  flush() {
    this.#sending ??= this.#send().finally(() => (this.#sending = null));
    return this.#sending;
  }

  async #send() {
    while (this.#queue.length && this.api.key) {
      const events = this.#queue.slice(0, BATCH);
      try {
        await this.api.post("me/events", { page: this.page, events });
      } catch (error) {
        if (error.status >= 400 && error.status < 500 && error.status !== 429) {
          this.#queue = []; // the server takes no more of them
        } else if (this.#online) {
          this.#online = false;
          this.note("disconnected");
        }
        return;
      }
      this.#queue.splice(0, events.length);
      if (!this.#online) {
        this.#online = true;
        this.note("reconnected");
      }
    }
  }

  /**
   * Watch a play area, which knows nothing of this.
   * @param {any} play a PhyreTask or an IphyreGame
   * @param {string} puzzle
   */
  watch(play, puzzle) {
    this.#unwatch();
    this.puzzle = puzzle;
    this.note("shown");
    const stop = new AbortController();
    if (play.live) this.#watchGame(play, stop.signal);
    else this.#watchTask(play, stop.signal);
    this.#unwatch = () => {
      stop.abort();
      this.puzzle = undefined;
      this.#unwatch = () => {};
    };
  }

  #watchTask({ placement, playback, api }, signal) {
    let placed = placement.balls.length > 0;
    let submitted = false;
    let moving = false;
    let timer = 0;
    const where = () => ({ value: toAction(placement.balls) });
    const placing = () => {
      clearTimeout(timer);
      if (!placement.enabled || signal.aborted) return;
      if (!placed && placement.balls.length) {
        placed = true;
        this.note("first_placement", where());
      } else timer = setTimeout(() => this.note("placement", where()), PAUSE);
    };
    placement.addEventListener("change", placing, { signal });
    // An attempt is seen where it is sent, whichever button or key sent it.
    const { post } = api;
    api.post = (path, body) => {
      if (path.endsWith("/attempts")) {
        this.note("submit", where());
        submitted = true;
      }
      return post.call(api, path, body);
    };
    signal.addEventListener("abort", () => {
      delete api.post;
      clearTimeout(timer);
    });
    playback.addEventListener(
      "step",
      () => {
        if (!submitted) return;
        submitted = false;
        moving = true;
        this.note("motion_started");
      },
      { signal },
    );
    playback.addEventListener(
      "end",
      () => {
        if (!moving) return;
        moving = false;
        this.note("motion_ended");
      },
      { signal },
    );
  }

  #watchGame({ live }, signal) {
    let removed = new Set();
    let lost = false;
    const on = (name, handler) =>
      live.addEventListener(name, ({ detail }) => handler(detail), { signal });
    const { start } = live;
    live.start = () => {
      this.note("submit");
      return start.call(live);
    };
    signal.addEventListener("abort", () => delete live.start);
    on("started", ({ number }) => {
      removed = new Set();
      this.note("motion_started", { value: number });
    });
    on("frame", (frame) => {
      for (const body of frame.removed) {
        if (!removed.has(body)) this.note("removal", { value: body });
      }
      removed = new Set(frame.removed);
    });
    on("ended", ({ attempt }) => this.note("motion_ended", { value: attempt.number }));
    on("lost", () => {
      lost = true;
      this.note("disconnected");
    });
    on("ready", () => {
      if (lost) this.note("reconnected");
      lost = false;
    });
  }

  /** Stop, and send what is left. */
  close() {
    this.#unwatch();
    clearInterval(this.timer);
    for (const [target, name] of this.#focusEvents()) target.removeEventListener(name, this.#focus);
    removeEventListener("pagehide", this.#hide);
    return this.flush();
  }

  /** No puzzle is on the page any more. */
  unwatch() {
    this.#unwatch();
  }
}
