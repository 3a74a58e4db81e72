// The I-PHYRE engine: games to step, and plans to play. Lengths are pixels of a scene of 600 by 600,
// y grows downwards.
//
// A game is {bodies: [{kind, ends, radius, dynamic}], sticks, springs} as the server describes it.
// Rules come with the data (see data.js): what of them needs a logarithm or a power is computed by
// the package, for those of JavaScript differ between browsers.

import { encodeTrajectory } from "./trajectory.js";

const STATE = 6; // numbers of a body: x, y, angle and their velocities
const NEVER = -1;
const MAX_BLOCKS = 6;
const MAX_OBSERVATION = 12 * 9 + 2 * (MAX_BLOCKS + 1);

/** @typedef {{ tick: number, body: number }} Removal a block goes before the physics of a tick */

export class IphyreEngine {
  #memory;
  #slots = []; // addresses of games that nobody plays any more

  /** @param {import("./memory.js").Memory} memory */
  constructor(memory) {
    this.#memory = memory;
  }

  /** A game before its first tick, to play live. Call `free` when it is no longer needed. */
  world(game, rules) {
    return new World(this.#memory, this.#slots, game, rules);
  }

  /**
   * Play a plan from the first tick to the end.
   * @param {any} game
   * @param {Removal[]} plan
   * @param {any} rules
   * @param {{ stride?: number, finalState?: boolean }} options stride: ticks between two frames,
   *   the first of which is the start; 0 for none
   */
  play(game, plan, rules, options = {}) {
    const batch = this.playMany(game, [plan], rules, options);
    const [solved, ticks, removed] = [batch.solved[0] !== 0, batch.ticks[0], batch.removed[0]];
    const frames = batch.frameCount?.[0] ?? 0;
    const states = batch.states?.subarray(0, frames * game.bodies.length * STATE);
    const reward = rewardOf(rules, ticks, removed, solved);
    return { solved, ticks, removed, reward, frames, states, finalState: batch.finalState };
  }

  /** Play many plans of one game; arrays have a row for each plan. */
  playMany(game, plans, rules, { stride = 0, finalState = false } = {}) {
    const bodies = game.bodies.length;
    const count = plans.length;
    const frames = stride > 0 ? Math.floor(rules.tick_limit / stride) + 2 : 0;
    const removals = new Int32Array(count * bodies).fill(NEVER);
    plans.forEach((plan, row) => {
      for (const { tick, body } of plan) {
        checkRemoval(game, body);
        removals[row * bodies + body] = tick;
      }
    });
    const memory = this.#memory;
    const world = this.world(game, rules);
    try {
      return memory.scope(() => {
        const solved = memory.zeros("uint8_t", count);
        const [ticks, removed, seen] = [0, 1, 2].map(() => memory.zeros("int32_t", count));
        const length = count * frames * bodies * STATE;
        const states = length ? memory.zeros("double", length) : 0;
        const last = finalState ? memory.zeros("double", count * bodies * STATE) : 0;
        memory.functions.iphyre_simulate(
          world.address,
          count,
          memory.copy("int32_t", removals),
          rules.builds,
          rules.tick_limit,
          solved,
          ticks,
          removed,
          Math.max(1, stride),
          frames,
          states,
          states ? seen : 0,
          last,
        );
        return {
          solved: memory.read("uint8_t", solved, count),
          ticks: memory.read("int32_t", ticks, count),
          removed: memory.read("int32_t", removed, count),
          frameCount: states ? memory.read("int32_t", seen, count) : undefined,
          states: states ? memory.read("double", states, length) : undefined,
          finalState: last ? memory.read("double", last, count * bodies * STATE) : undefined,
        };
      });
    } finally {
      world.free();
    }
  }

  /** Play a plan and keep the motion, as the server answers it. */
  trajectory(game, plan, rules) {
    const { solved, ticks, removed, reward, states } = this.play(game, plan, rules, { stride: 1 });
    const bodies = game.bodies.length;
    const pose = (frame, body) => {
      const at = (frame * bodies + body) * STATE;
      return states.subarray(at, at + 3);
    };
    const trajectory = encodeTrajectory(ticks + 1, movingBodies(game), pose, rules.hz);
    return { solved, ticks, removed, reward, trajectory };
  }
}

/** A game that is being played. */
class World {
  #memory;
  #slots;
  #game;
  #rules;

  constructor(memory, slots, game, rules) {
    this.#memory = memory;
    this.#slots = slots;
    this.#game = game;
    this.#rules = rules;
    this.address = slots.pop() ?? memory.keep(memory.functions.iphyre_size());
    const joints = game.sticks.length + game.springs.length;
    const fits = memory.scope(() => {
      const arrays = pack(game, rules).map(([type, values]) => memory.copy(type, values));
      const { gravity, bounce, friction, dt, bias } = rules.physics;
      const [low, high] = rules.exit.x_range ?? [-Infinity, Infinity];
      return memory.functions.iphyre_init(
        this.address,
        memory.copy("int32_t", arrays),
        game.bodies.length,
        joints,
        memory.copy("double", [gravity, bounce, friction, dt, bias]),
        memory.copy("double", [rules.exit.y, low, high]),
      );
    });
    if (!fits) {
      this.free();
      throw new RangeError(`A game of ${game.bodies.length} bodies and ${joints} joints is too big.`);
    }
    /** The bodies that can move. */
    this.moving = movingBodies(game);
    this.reset();
  }

  /** Put every body back to its start. */
  reset() {
    this.#memory.functions.iphyre_reset(this.address, this.#rules.builds);
    this.tick = 0;
    /** @type {Removal[]} */
    this.removals = [];
  }

  /** Release the memory; the world cannot be used any more. */
  free() {
    if (this.address) this.#slots.push(this.address);
    this.address = 0;
  }

  get solved() {
    return this.#memory.functions.iphyre_solved(this.address) !== 0;
  }

  /** Whether every ball is out or time is up. */
  get over() {
    return this.solved || this.tick >= this.#rules.tick_limit;
  }

  /** What has been earned so far. */
  get reward() {
    return rewardOf(this.#rules, this.tick, this.removals.length, this.solved);
  }

  /** Play some ticks, at most to the end. @returns {boolean} whether the game is over */
  step(ticks = 1) {
    const until = Math.min(this.tick + ticks, this.#rules.tick_limit);
    this.tick = this.#memory.functions.iphyre_advance(this.address, until);
    return this.over;
  }

  /** Remove a gray block before the next tick. @returns {boolean} whether it was there */
  remove(body) {
    checkRemoval(this.#game, body);
    if (this.over || !this.#memory.functions.iphyre_remove(this.address, body)) return false;
    this.removals.push({ tick: this.tick, body });
    return true;
  }

  /** The gray block under a point, the first in order, or null; round ends cannot be hit. */
  blockAt(x, y) {
    const { present } = this;
    const found = this.#game.bodies.findIndex(
      (body, k) => body.kind === "gray" && present[k] && covers(body, x, y),
    );
    return found < 0 ? null : found;
  }

  /** Whether each body is there. @returns {boolean[]} */
  get present() {
    return bits(this.#memory.functions.iphyre_present(this.address), this.#game.bodies.length);
  }

  /** Whether each stick and each spring still holds. */
  get holds() {
    const { sticks, springs } = this.#game;
    const all = bits(
      this.#memory.functions.iphyre_holds(this.address),
      sticks.length + springs.length,
    );
    return { sticks: all.slice(0, sticks.length), springs: all.slice(sticks.length) };
  }

  /** [bodies, 6] x, y, angle and their velocities. @returns {Float64Array} */
  state() {
    const length = this.#game.bodies.length * STATE;
    const memory = this.#memory;
    return memory.scope(() => {
      const rows = memory.zeros("double", length);
      memory.functions.iphyre_state(this.address, rows);
      return memory.read("double", rows, length);
    });
  }

  /** [bodies, 3] x, y and angle of some bodies; of those that can move by default. */
  poses(bodies = this.moving) {
    const state = this.state();
    const rows = new Float64Array(bodies.length * 3);
    bodies.forEach((body, k) => rows.set(state.subarray(body * STATE, body * STATE + 3), k * 3));
    return rows;
  }

  /** What agents see: the table of objects, then the positions that an action speaks of. */
  observe(onTheFly = true) {
    const memory = this.#memory;
    return memory.scope(() => {
      const gray = this.#game.bodies.flatMap((body, k) => (body.kind === "gray" ? [k] : []));
      const blocks = new Int32Array(MAX_BLOCKS).fill(NEVER);
      blocks.set(gray);
      const seen = memory.zeros("float", MAX_OBSERVATION);
      const list = memory.copy("int32_t", blocks);
      const length = memory.functions.iphyre_observe(this.address, list, onTheFly, seen);
      return memory.read("float", seen, length);
    });
  }
}

/** The bodies of a game that can move. @returns {number[]} */
export function movingBodies(game) {
  return game.bodies.flatMap((body, k) => (body.dynamic ? [k] : []));
}

function rewardOf({ hz, rewards }, ticks, removed, solved) {
  const sum = (rewards.time * ticks) / hz + rewards.removal * removed;
  return solved ? sum + rewards.success : sum;
}

function checkRemoval({ bodies }, body) {
  if (bodies[body]?.kind !== "gray") throw new RangeError(`Body ${body} is not a gray block.`);
}

function covers({ ends: [x1, y1, x2, y2], radius }, px, py) {
  const length = Math.sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2);
  const [ux, uy] = [(x1 - x2) / length, (y1 - y2) / length];
  const [dx, dy] = [px - (x1 + x2) / 2, py - (y1 + y2) / 2];
  return Math.abs(dx * ux + dy * uy) < length / 2 && Math.abs(dx * uy - dy * ux) < radius;
}

/** A game as the arrays of the engine, in its order, each with its type. */
function pack({ bodies, sticks, springs }, { mass, spring }) {
  const inertia = ({ kind, radius }) => {
    if (kind === "ball") return mass * (0.5 * (radius * radius));
    const length = 2 * radius; // every blue block turns as easily as one of length zero
    return mass * ((length * length + 4 * radius * radius) / 12);
  };
  const joints = [...sticks, ...springs];
  const movable = (pair) => pair.filter((body) => bodies[body].dynamic).length;
  return [
    ["double", bodies.flatMap((body) => body.ends)],
    ["double", bodies.flatMap(() => [0, 0, 0])],
    ["double", bodies.map((body) => body.radius)],
    ["double", bodies.map((body) => (body.dynamic ? 1 / mass : 0))],
    ["double", bodies.map((body) => (body.dynamic ? 1 / inertia(body) : 0))],
    ["uint8_t", bodies.map((body) => (body.kind === "ball" ? 1 : 0))],
    ["int32_t", joints.flat()],
    ["uint8_t", joints.map((_, k) => (k < sticks.length ? 0 : 1))],
    [
      "double",
      joints.flatMap((pair) => [spring.rest, spring.stiffness, spring.damping[movable(pair)]]),
    ],
  ];
}

function bits(word, count) {
  return Array.from({ length: count }, (_, k) => ((word >>> k) & 1) === 1);
}
