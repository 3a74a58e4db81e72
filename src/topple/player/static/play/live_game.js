// A live I-PHYRE game: the back end plays, and the page shows it and sends clicks.

/**
 * Fires "ready", "started", "frame", "missed", "ended", "problem" and "lost"; the message is the
 * event's `detail`.
 */
export class LiveGame extends EventTarget {
  /** @param {import("../api.js").Api} api @param {string} game */
  constructor(api, game) {
    super();
    this.api = api;
    this.game = game;
    this.running = false;
    this.tick = 0;
  }

  /** @type {WebSocket | null} */
  #socket = null;
  #left = false;

  /** Connect, or connect again. @returns {Promise<void>} when the server is ready */
  async connect() {
    const socket = await this.api.live(this.game);
    this.#socket = socket;
    await new Promise((resolve, reject) => {
      socket.onmessage = ({ data }) => {
        const message = JSON.parse(data);
        this.#take(message);
        if (message.type === "ready") resolve();
      };
      socket.onclose = () => {
        reject(new Error("The live connection to the server is closed."));
        if (this.running && !this.#left) this.#fire("lost", null);
        this.running = false;
      };
    });
  }

  get open() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /**
   * Begin an attempt, at the start or where an earlier play is taken up.
   * @param {{ tick?: number, removals?: number[][] }} [earlier] the moment, and what was removed
   */
  async start(earlier = {}) {
    if (!this.open) await this.connect();
    this.#send({ type: "start", ...earlier });
  }

  click({ x, y }) {
    this.#send({ type: "click", x, y, tick: this.tick });
  }

  remove(body) {
    this.#send({ type: "remove", body, tick: this.tick });
  }

  stop() {
    this.#send({ type: "stop" });
  }

  close() {
    this.#left = true;
    this.#socket?.close();
  }

  #send(message) {
    if (this.open) this.#socket.send(JSON.stringify(message));
  }

  #take(message) {
    const { type } = message;
    if (type === "started") {
      this.running = true;
      this.tick = 0;
    } else if (type === "frame") this.tick = message.tick;
    else if (type === "ended") this.running = false;
    this.#fire(type === "error" ? "problem" : type, message);
  }

  #fire(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
