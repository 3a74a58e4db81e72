// The PHYRE engine: scenes and actions in, outcomes and observations out. Lengths are pixels of a
// scene of 256 by 256, y grows upwards.
//
// A scene is an object as the package writes it to JSON: {bodies: [{shapes: [{circle} | {polygon}],
// dynamic, position, angle, color, kind, diameter, velocity, angular_velocity}], goal: {first, second,
// hold_steps}}; what is missing has its default, and a goal may be given as [first, second].

import { encodeTrajectory } from "./trajectory.js";

const COLORS = ["white", "red", "green", "blue", "purple", "gray", "black"];
const KINDS = ["undefined", "ball", "bar", "jar", "standing_sticks"];
const OUTCOMES = new Map([
  [-1, "not_solved"],
  [0, "invalid"],
  [1, "solved"],
  [2, "unstably_solved"],
  [3, "stably_solved"],
]);
const OUT_OF_CONTACTS = 4;
const SIZE = 256;
const PIXELS_PER_METRE = 6;
const HOLD_STEPS = 180;
const STEPS_PER_SECOND = 60;
const FEATURES = 14; // of an object
const CONTACT = 8; // words of a contact: the step and the two bodies are the first
const CONTACTS = 32; // per step that fit at first
const BALLS_TOUCH = 0.1; // px between two balls that still count as touching
const STATE = 6; // numbers of a body: x, y, angle and their velocities

/** A scene breaks a rule of the engine; the message is a sentence. */
export class SceneError extends Error {}

/**
 * @typedef {object} Options
 * @property {number} [maxSteps] of an attempt
 * @property {number} [stride] steps between two frames; 0 for no frames
 * @property {boolean} [stable] also try the eight neighbours of a solution
 * @property {boolean} [states] keep x, y, angle and velocities of all bodies
 * @property {boolean} [objects] keep the features of objects
 * @property {boolean} [images] keep pictures
 * @property {boolean} [finalState] keep the state at the end
 * @property {number} [contacts] keep so many contacts of each attempt
 */

export class PhyreEngine {
  #memory;
  #layout;

  /** @param {import("./memory.js").Memory} memory */
  constructor(memory) {
    this.#memory = memory;
    const { scene, outputs } = JSON.parse(memory.text(memory.functions.describe()));
    const named = (arrays) => Object.entries(arrays).filter(([name]) => name);
    this.#layout = { scene: named(scene), outputs: named(outputs) };
  }

  /** Refuse a scene that cannot be simulated. @throws {SceneError} */
  check(scene) {
    this.#memory.scope(() => this.#place(scene));
  }

  /**
   * Whether an action is valid, and if not, why; balls are x, y and radius as they are simulated.
   * @returns {{ valid: boolean, reason: string | null, balls: [number, number, number][] }}
   */
  validate(scene, action) {
    return this.#memory.scope(() => {
      const placed = this.#place(scene);
      const balls = this.#balls(placed, action);
      if (balls) return { valid: true, reason: null, balls };
      return { valid: false, reason: this.#reason(placed, action), balls: [] };
    });
  }

  /**
   * Simulate an action.
   * @param {any} scene
   * @param {ArrayLike<number>} action 3 numbers from 0 to 1 for each ball, or none at all
   * @param {Options} options
   */
  simulate(scene, action, options = {}) {
    const batch = this.simulateMany(scene, [action], options);
    const { bodyCount, objectCount } = batch;
    const frames = batch.frameCount[0];
    return {
      outcome: OUTCOMES.get(batch.outcome[0]),
      steps: batch.steps[0],
      balls: batch.outcome[0] === 0 ? [] : triples(batch.balls),
      frames,
      bodyCount,
      objectCount,
      states: batch.states?.subarray(0, frames * bodyCount * STATE),
      objects: batch.objects?.subarray(0, frames * objectCount * FEATURES),
      images: batch.images?.subarray(0, frames * SIZE * SIZE),
      finalState: batch.finalState,
      contacts: batch.contacts,
      contactCount: Number(batch.contactCount?.[0] ?? 0),
    };
  }

  /**
   * Simulate many actions on a scene. Arrays have a row for each action; frames beyond
   * `frameCount` are zeros.
   * @param {any} scene
   * @param {ArrayLike<number>[]} actions all of the same length
   * @param {Options} options
   * @throws {SceneError} more contacts come about than the engine can hold
   */
  simulateMany(scene, actions, options = {}) {
    const { maxSteps = 1000, stride = 0, stable = false, contacts = 0 } = options;
    const count = actions.length;
    const balls = (actions[0]?.length ?? 0) / 3;
    const frames = stride > 0 ? Math.floor((maxSteps - 1) / stride) + 1 : 0;
    const memory = this.#memory;
    return memory.scope(() => {
      const placed = this.#place(scene);
      const bodyCount = scene.bodies.length + balls;
      const objectCount = placed.objects + balls;
      const lengths = {
        outcome: count,
        steps: count,
        frame_count: count,
        balls: count * balls * 3,
        images: options.images ? count * frames * SIZE * SIZE : 0,
        objects: options.objects ? count * frames * objectCount * FEATURES : 0,
        states: options.states ? count * frames * bodyCount * STATE : 0,
        final_state: options.finalState ? count * bodyCount * STATE : 0,
        contacts: count * contacts * CONTACT,
        contact_count: contacts ? count : 0,
      };
      const addresses = this.#layout.outputs.map(([name, type]) =>
        lengths[name] ? memory.zeros(type, lengths[name]) : 0,
      );
      memory.functions.phyre_simulate(
        placed.address,
        count,
        memory.zeros("int32_t", count),
        memory.copy("double", actions.flatMap((action) => Array.from(action))),
        balls,
        maxSteps,
        stride,
        stable,
        memory.copy("int32_t", addresses),
        frames,
        objectCount,
        bodyCount,
        contacts,
      );
      const written = Object.fromEntries(
        this.#layout.outputs.map(([name, type], k) => [
          name,
          lengths[name] ? memory.read(type, addresses[k], lengths[name]) : undefined,
        ]),
      );
      if (written.outcome?.includes(OUT_OF_CONTACTS)) {
        throw new SceneError("More contacts come about in this scene than the engine can hold.");
      }
      const { outcome, steps, images, objects, states } = written;
      return {
        outcome,
        steps,
        frameCount: written.frame_count,
        balls: written.balls ?? new Float64Array(),
        bodyCount,
        objectCount,
        images,
        objects,
        states,
        finalState: written.final_state,
        contacts: written.contacts,
        contactCount: written.contact_count,
      };
    });
  }

  /** Simulate an action and keep the motion, as the server answers it; null if it is invalid. */
  trajectory(scene, action, stride = 1) {
    const kept = { stride: 1, states: true, contacts: CONTACTS * 1000 };
    let result = this.simulate(scene, action, kept);
    if (result.contactCount > kept.contacts)
      result = this.simulate(scene, action, { ...kept, contacts: result.contactCount });
    const { outcome, steps, balls, bodyCount, states } = result;
    if (outcome === "invalid") return { outcome, steps: 0, balls, trajectory: null };
    const frames = Math.ceil(result.frames / stride);
    const start = scene.bodies.map(({ position, angle = 0 }) => [...position, angle]);
    start.push(...balls.map(([x, y]) => [x, y, 0]));
    const moving = scene.bodies.flatMap((body, k) => (body.dynamic ? [k] : []));
    moving.push(...balls.map((_, k) => scene.bodies.length + k));
    const pose = (frame, body) => {
      if (frame === 0) return start[body];
      const at = ((frame - 1) * stride * bodyCount + body) * STATE;
      return states.subarray(at, at + 3);
    };
    const fps = STEPS_PER_SECOND / stride;
    const trajectory = {
      ...encodeTrajectory(frames + 1, moving, pose, fps, balls),
      touching: goalIntervals(scene, result),
      hold_steps: goalOf(scene.goal).hold_steps,
    };
    return { outcome, steps, balls, trajectory };
  }

  /**
   * The picture and the features of a scene before the first step.
   * @param {any} scene
   * @param {[number, number, number][]} balls x, y and radius in pixels
   * @returns {{ image: Uint8Array, objects: Float32Array }}
   */
  observe(scene, balls = []) {
    const memory = this.#memory;
    return memory.scope(() => {
      const placed = this.#place(scene);
      const count = (placed.objects + balls.length) * FEATURES;
      const image = memory.zeros("uint8_t", SIZE * SIZE);
      const objects = memory.zeros("float", count);
      const list = memory.copy("double", balls.flat());
      memory.functions.phyre_observe(placed.address, list, balls.length, image, objects);
      return {
        image: memory.read("uint8_t", image, SIZE * SIZE),
        objects: memory.read("float", objects, count),
      };
    });
  }

  /** Put a scene into the module's memory and check it. */
  #place(scene) {
    const memory = this.#memory;
    const arrays = pack(scene);
    const words = this.#layout.scene.map(([name, type]) => memory.copy(type, arrays[name]));
    const address = memory.copy("int32_t", [1, ...words]);
    const found = memory.zeros("int32_t", 4);
    if (memory.functions.phyre_fault(address, found, found + 4)) {
      const [body, text, limit, end] = memory.view("int32_t", found, 4);
      const where = body < 0 ? "" : `Body ${body}: `;
      const number = limit < 0 ? "" : limit;
      throw new SceneError(`${where}${memory.text(text)}${number}${memory.text(end)}.`);
    }
    return { address, objects: arrays.kind.filter((kind) => kind !== 0).length };
  }

  /** The balls of an action as they are simulated, or null if it is invalid. */
  #balls(placed, action) {
    const memory = this.#memory;
    const out = memory.zeros("double", action.length);
    const list = memory.copy("double", Array.from(action));
    return memory.functions.phyre_validate(placed.address, list, action.length / 3, out)
      ? triples(memory.read("double", out, action.length))
      : null;
  }

  #reason(placed, action) {
    const each = triples(action);
    const names = each.length === 1 ? ["the ball"] : ["the first ball", "the second ball"];
    const empty = this.#place({ bodies: [] });
    const fits = (balls) => this.#balls(empty, balls) !== null;
    const outside = each.findIndex((ball) => !fits(ball));
    if (outside >= 0) return `${names[outside]} does not lie inside the scene`;
    if (!fits(action)) return "the balls touch each other";
    const covering = each.findIndex((ball) => this.#balls(placed, ball) === null);
    return covering >= 0 ? `${names[covering]} covers a body` : "the balls do not fit";
  }
}

/** The goal of a scene, given by name or as a pair. */
function goalOf(goal) {
  if (!goal) return { first: -1, second: -1, hold_steps: 0 };
  const [first, second] = Array.isArray(goal) ? goal : [goal.first, goal.second];
  return { first, second, hold_steps: goal.hold_steps ?? HOLD_STEPS };
}

/**
 * The first and last step of each time in which the goal of an attempt holds. Two balls are compared
 * by distance, as the engine does it; other bodies by their contacts, which are not reported while
 * both bodies sleep.
 */
function goalIntervals({ bodies, goal }, { frames, bodyCount, states, contacts, contactCount }) {
  if (!goal) return [];
  const { first, second } = goalOf(goal);
  const state = (step, body, k) => states[(step * bodyCount + body) * STATE + k];
  const apart = (step, axis) => Math.fround(state(step, first, axis) - state(step, second, axis));
  const asleep = (step) =>
    [first, second].every((body) => [3, 4, 5].every((k) => state(step, body, k) === 0));
  const met = new Set();
  for (let k = 0; k < contactCount; k += 1) {
    const [step, one, two] = contacts.subarray(k * CONTACT, k * CONTACT + 3);
    if ((one === first && two === second) || (one === second && two === first)) met.add(step);
  }
  const radii = [first, second].map((body) =>
    bodies[body].shapes.length === 1 ? bodies[body].shapes[0].circle : undefined,
  );
  const balls = radii.every((radius) => radius !== undefined);
  const intervals = [];
  for (let step = 0, held = false; step < frames; step += 1) {
    const before = held;
    held = balls
      ? Math.fround(Math.hypot(apart(step, 0), apart(step, 1))) < radii[0] + radii[1] + BALLS_TOUCH
      : met.has(step) || (held && asleep(step));
    if (held && !before) intervals.push([step, step]);
    else if (held) intervals.at(-1)[1] = step;
  }
  return intervals;
}

/** Numbers in rows of three. @returns {any[]} */
function triples(numbers) {
  return Array.from({ length: numbers.length / 3 }, (_, k) =>
    Array.from(numbers).slice(3 * k, 3 * k + 3),
  );
}

/** Pixels to metres as the original does it: to single precision, then a division in it. */
const metres = (pixels) => Math.fround(Math.fround(pixels) / PIXELS_PER_METRE);

/** A scene as the arrays of the engine, by name. */
function pack({ bodies, goal }) {
  const shapes = bodies.flatMap((body) => body.shapes);
  const corners = shapes.map((shape) => shape.polygon ?? []);
  const radius = shapes.map((shape) => shape.circle ?? 0);
  const vertices = corners.flat(2);
  const motion = ([x, y], turn) => [metres(x), metres(y), turn];
  const { first, second, hold_steps } = goalOf(goal);
  return {
    body_start: [0, bodies.length],
    fixture_start: starts(bodies.map((body) => body.shapes.length)),
    vertex_start: starts(corners.map((points) => points.length)),
    goals: [first, second, hold_steps],
    dynamic: bodies.map((body) => (body.dynamic ? 1 : 0)),
    color: bodies.map((body) => code(COLORS, body.color ?? "black")),
    kind: bodies.map((body) => code(KINDS, body.kind ?? "undefined")),
    diameter: bodies.map((body) => body.diameter ?? 0),
    feature_offset: bodies.map((body) => body.feature_offset ?? 0),
    pose_px: bodies.flatMap((body) => [...body.position, body.angle ?? 0]),
    pose_m: bodies.flatMap((body) => motion(body.position, body.angle ?? 0)),
    velocity: bodies.flatMap((body) =>
      motion(body.velocity ?? [0, 0], body.angular_velocity ?? 0),
    ),
    radius_px: radius,
    radius_m: radius.map(metres),
    vertices_px: vertices,
    vertices_m: vertices.map(metres),
  };
}

/** Where rows of these lengths begin, and where the last one ends. */
function starts(lengths) {
  const offsets = [0];
  for (const length of lengths) offsets.push(offsets.at(-1) + length);
  return offsets;
}

function code(names, name) {
  const found = names.indexOf(name);
  if (found < 0) throw new SceneError(`There is no ${name}; the names are ${names.join(", ")}.`);
  return found;
}
