// A live I-PHYRE game in the worker: the clock ticks here, and the page watches and clicks.
//
// Only ticks decide the outcome. A click takes effect before the next tick that is played, at most
// one block per tick; real time only sets the speed. The messages are those of the server.
import { addAttempt, gameAttempt, interrupted, progress, SESSION } from "./attempts.js";
import { findGame } from "./puzzles.js";

const STILL = 0.5; // px that nobody sees
const OUT_OF_SIGHT = 900; // px; what has fallen so far cannot come back
const LATE = 250; // ms; after a longer delay the game continues at its speed, without catching up

export class LiveGame {
  /** @param {any} backend @param {string} name @param {MessagePort} port to the page */
  constructor(backend, name, port) {
    this.backend = backend;
    this.name = name;
    this.port = port;
    port.onmessage = ({ data }) => this.#take(data);
  }

  #world = null;
  #row = null; // of the attempt that is under way
  #starting = false;
  #waiting = []; // blocks to remove, the next one first
  #timer = 0;
  #due = 0;
  #rest = Infinity; // when a lost attempt comes to rest, after the last removal

  /** Load the game and tell the page that it can start. */
  async open() {
    try {
      const { catalogue } = this.backend;
      const [game, engine, { rules }] = await Promise.all([
        findGame(this.backend, this.name),
        catalogue.engine(),
        catalogue.games(),
      ]);
      this.game = game;
      this.engine = engine;
      this.rules = rules.play;
      this.#world = engine.iphyre.world(game, rules.play);
      const { hz, tick_limit, moving } = game;
      this.#send("ready", { game: this.name, hz, tick_limit, moving, ...(await this.#progress()) });
    } catch (error) {
      this.#send("error", { code: "refused", message: /** @type {Error} */ (error).message });
      this.port.postMessage("closed");
    }
  }

  #take(text) {
    if (text === "closed") return this.#close();
    const message = JSON.parse(text);
    if (message.type === "start") return this.#start(message);
    if (!this.#row) return undefined; // clicks after the end
    if (message.type === "stop") return this.#end(true);
    const world = this.#world;
    const free = (body) => world.present[body] && !this.#waiting.includes(body);
    const body = message.type === "click" ? world.blockAt(message.x, message.y) : message.body;
    if (body !== null && this.game.bodies[body]?.kind === "gray" && free(body))
      this.#waiting.push(body);
    else this.#send("missed", { tick: world.tick });
  }

  async #close() {
    if (this.#row) await this.#end(true);
    this.#world?.free();
    this.port.close();
  }

  /** Begin an attempt; one that is under way is abandoned first. */
  async #start({ tick = 0, removals = [] }) {
    if (this.#starting) return undefined;
    this.#starting = true;
    if (this.#row) await this.#end(true);
    this.#world.reset();
    const due = new Map(removals);
    while (this.#world.tick < tick && !this.#world.over) {
      if (due.has(this.#world.tick)) this.#world.remove(due.get(this.#world.tick));
      this.#world.step();
    }
    if (this.#world.over) {
      this.#starting = false;
      const message = `The game is over before tick ${tick}.`;
      return this.#send("error", { code: "refused", message });
    }
    const columns = { action: this.#removals, finished: false, session: SESSION };
    const practice = tick > 0 ? { counted: false } : {}; // it takes up an earlier play
    this.#row = await addAttempt(this.backend, "iphyre", this.name, { ...columns, ...practice });
    this.#starting = false;
    this.#waiting = [];
    this.#rest = this.#blocksLeft ? Infinity : this.#restTick();
    const { number, counted } = this.#row;
    this.#send("started", { number, counted });
    this.#sendFrame();
    this.#due = performance.now();
    return this.#schedule();
  }

  #schedule() {
    const now = performance.now();
    this.#due = Math.max(this.#due + 1000 / this.game.hz, now - LATE);
    this.#timer = setTimeout(() => this.#tick(), Math.max(0, this.#due - now));
  }

  #tick() {
    const world = this.#world;
    if (this.#waiting.length) {
      world.remove(this.#waiting.shift());
      this.#save();
      if (!this.#blocksLeft) this.#rest = this.#restTick();
    }
    world.step();
    this.#sendFrame();
    if (world.over || world.tick >= this.#rest) this.#end(false);
    else this.#schedule();
  }

  get #removals() {
    return this.#world.removals.map(({ tick, body }) => [tick, body]);
  }

  get #blocksLeft() {
    const { present } = this.#world;
    return this.game.bodies.some(({ kind }, body) => kind === "gray" && present[body]);
  }

  /** The tick from which nothing moves any more, if no block is left and the attempt is lost. */
  #restTick() {
    const { solved, frames, states } = this.engine.iphyre.play(
      this.game,
      this.#world.removals,
      this.rules,
      { stride: 1 },
    );
    if (solved) return Infinity;
    const width = states.length / frames;
    const at = (frame, body, axis) =>
      Math.min(states[frame * width + (body * width) / this.game.bodies.length + axis], OUT_OF_SIGHT);
    const moves = (frame) =>
      this.game.moving.some((body) =>
        [0, 1].some((axis) => Math.abs(at(frame, body, axis) - at(frames - 1, body, axis)) > STILL),
      );
    let rest = frames - 1;
    while (rest > 0 && !moves(rest - 1)) rest -= 1;
    return rest;
  }

  #save() {
    this.#row.action = this.#removals;
    return this.backend.store.put("attempts", this.#row);
  }

  async #end(abandoned) {
    clearTimeout(this.#timer);
    const row = this.#row;
    this.#row = null;
    const world = this.#world;
    row.action = this.#removals;
    const score = world.over ? scoreOf(world) : await playOut(this.backend, row);
    // Nothing is given up once no block is left: the end is certain, and was played out.
    const done = await finish(this.backend, row, score, abandoned && this.#blocksLeft);
    this.#send("ended", { attempt: gameAttempt(done), ...(await this.#progress()) });
  }

  async #progress() {
    return { progress: await progress(this.backend, "iphyre", this.name) };
  }

  #sendFrame() {
    const { tick, present } = this.#world;
    const removed = present.flatMap((there, body) => (there ? [] : [body]));
    const poses = Array.from(this.#world.poses(this.game.moving), (v) => Math.round(v * 1e3) / 1e3);
    this.#send("frame", { tick, removed, poses });
  }

  #send(type, fields) {
    this.port.postMessage(JSON.stringify({ type, ...fields }));
  }
}

function scoreOf({ solved, tick, reward }) {
  return { solved, ticks: tick, reward };
}

/** The score of an attempt in which nothing more is removed. */
async function playOut(backend, { subject, action }) {
  const { catalogue } = backend;
  const [game, engine, { rules }] = await Promise.all([
    findGame(backend, subject),
    catalogue.engine(),
    catalogue.games(),
  ]);
  const plan = action.map(([tick, body]) => ({ tick, body }));
  return engine.iphyre.play(game, plan, rules.play);
}

function finish({ store }, row, { solved, ticks, reward }, abandoned) {
  const ended = { finished: true, session: null, abandoned, solved, ticks, reward };
  return store.put("attempts", { ...row, ...ended });
}

/** Play out the attempts of pages that were closed while they played. */
export async function finishInterrupted(backend) {
  for (const row of await interrupted(backend)) {
    const score = await playOut(backend, row).catch(() => null);
    if (score) await finish(backend, row, score, true);
    else await backend.store.delete("attempts", row.id); // its game is gone
  }
}
