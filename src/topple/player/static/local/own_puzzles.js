// Puzzles of one's own: reading them, the rules they must keep, and whether they can be solved.
import { ApiError } from "../api_error.js";
import { BALL_RADIUS, gameGeometry, grayAt, startOf } from "../canvas/iphyre_geometry.js";
import { SceneError } from "../engine/engine.js";
import { ballsOf } from "./puzzles.js";

const SLICE = 12; // ms of search before other calls and the clock of a live game have their turn

/** A body of a rule that was broken, in the sentence that says so. */
const NAMED = /\b(?:body|block|ball) (\d{1,6})\b/i;

/**
 * Check a puzzle as it is sent to the server, and return it with its data in the form that is
 * stored. Fails with the sentence of the rule that it breaks.
 */
export async function cleanPuzzle(backend, puzzle) {
  const { limits } = await backend.catalogue.answers();
  const { name, benchmark, tier = "ball", data } = puzzle ?? {};
  if (typeof name !== "string" || !name.trim() || name.trim().length > limits.name)
    throw refuse(`the name has 1 to ${limits.name} characters`);
  if (benchmark !== "phyre" && benchmark !== "iphyre")
    throw refuse("a puzzle is of the benchmark phyre or iphyre");
  if (!["ball", "two_balls"].includes(tier)) throw refuse("the tier is ball or two_balls");
  checkSize(data, limits);
  const engine = await backend.catalogue.engine();
  try {
    if (benchmark === "phyre") readScene(data, engine, limits);
    else readGame(data, limits);
  } catch (error) {
    if (error instanceof SceneError) throw refuse(error.message);
    throw error;
  }
  return { name: name.trim(), benchmark, tier, data };
}

function refuse(sentence) {
  return new ApiError(422, sentence);
}

/** A puzzle comes from anywhere: it is small, and its texts are. */
function checkSize(data, { bytes, text }) {
  if (JSON.stringify(data ?? null).length > bytes)
    throw refuse(`the puzzle is too large: at most ${bytes} bytes are allowed`);
  const pending = [data];
  while (pending.length) {
    const value = pending.pop();
    if (typeof value === "string" && value.length > text)
      throw refuse(`a text has ${value.length} characters; at most ${text} are allowed`);
    if (typeof value === "object" && value) pending.push(...Object.values(value));
  }
}

const isNumbers = (value, length) =>
  Array.isArray(value) && value.length === length && value.every(Number.isFinite);

function fieldsOf(value, known, needed, where) {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refuse(`${where}: this is an object with named fields`);
  const unknown = Object.keys(value).find((field) => !known.includes(field));
  if (unknown) throw refuse(`${where}: there is no field ${unknown}; it has ${known.join(", ")}`);
  const missing = needed.find((field) => !(field in value));
  if (missing) throw refuse(`${where}: the field ${missing} is missing`);
  return value;
}

function listOf(value, where) {
  if (!Array.isArray(value)) throw refuse(`${where}: this is a list`);
  return value;
}

function readScene(data, engine, { scene: rules }) {
  fieldsOf(data, rules.scene_fields, ["bodies"], "scene");
  listOf(data.bodies, "scene, bodies").forEach((body, i) => {
    const where = `scene, body ${i}`;
    fieldsOf(body, rules.body_fields, ["shapes", "dynamic", "position"], where);
    if (typeof body.dynamic !== "boolean") throw refuse(`${where}: dynamic is true or false`);
    for (const field of ["position", "velocity"])
      if (!isNumbers(body[field] ?? [0, 0], 2))
        throw refuse(`${where}: ${field} is a pair of numbers`);
    for (const field of ["angle", "diameter", "angular_velocity"])
      if (!Number.isFinite(body[field] ?? 0)) throw refuse(`${where}: ${field} is a number`);
    for (const [field, names] of Object.entries(rules.names))
      if (body[field] !== undefined && !names.includes(body[field]))
        throw refuse(`${where}: ${field} is one of ${names.join(", ")}`);
    for (const shape of listOf(body.shapes, `${where}, shapes`)) {
      fieldsOf(shape, ["circle", "polygon"], [], `${where}, shape`);
      const good =
        "circle" in shape
          ? Number.isFinite(shape.circle) && !("polygon" in shape)
          : Array.isArray(shape.polygon) && shape.polygon.every((corner) => isNumbers(corner, 2));
      if (!good) throw refuse(`${where}: a shape is a circle or a polygon of finite numbers`);
    }
  });
  if (!data.goal) throw refuse("there is no goal: name two bodies that have to touch");
  fieldsOf(data.goal, ["first", "second", "hold_steps"], ["first", "second"], "scene, goal");
  for (const [field, value] of Object.entries(data.goal))
    if (!Number.isInteger(value)) throw refuse(`scene, goal: ${field} is a whole number`);
  const { width = rules.size, height = rules.size } = data;
  if (width !== rules.size || height !== rules.size)
    throw refuse(`a scene is ${rules.size} by ${rules.size} pixels`);
  engine.phyre.check(data);
}

function readGame(data, { game: rules }) {
  fieldsOf(data, rules.fields, ["name"], "game");
  const name = typeof data.name === "string" ? data.name : "";
  const fail = (sentence) => refuse(`game '${name}': ${sentence}`);
  if (!/^[\p{L}\p{N}_]+$/u.test(name) || !name.replaceAll("_", ""))
    throw fail("the name must be letters, digits and underscores");
  const { blocks = [], balls = [], sticks = [], springs = [] } = data;
  for (const [word, list] of Object.entries({ blocks, balls, sticks, springs }))
    if (!Array.isArray(list)) throw fail(`${word} must be a list`);
  const far = (numbers) => numbers.some((number) => Math.abs(number) > rules.farthest);
  const near = (numbers) => numbers.some((number) => number && Math.abs(number) < rules.nearest);
  const zero = `nearer to 0 than ${rules.nearest} px; write 0`;
  const range = `places and sizes are from −${rules.farthest} to ${rules.farthest} px`;
  blocks.forEach((block, i) => {
    if (!rules.kinds.includes(block?.kind) || !isNumbers(block.ends, 4))
      throw fail(`block ${i} must have a kind (${rules.kinds.join(", ")}) and four numbers as ends`);
    const [x1, y1, x2, y2] = block.ends;
    if (near(block.ends)) throw fail(`block ${i} has an end ${zero}`);
    if (far(block.ends)) throw fail(`block ${i} has an end too far away; ${range}`);
    if (Math.hypot(x1 - x2, y1 - y2) < rules.shortest)
      throw fail(`block ${i} has length zero; its two ends must differ`);
  });
  if (!balls.length) throw fail("there must be at least one ball");
  balls.forEach((ball, k) => {
    const i = blocks.length + k;
    const radius = ball?.radius ?? BALL_RADIUS;
    if (!isNumbers(ball?.centre, 2) || !Number.isFinite(radius))
      throw fail(`ball ${i} must have a centre of two numbers and may have a radius`);
    if (near(ball.centre)) throw fail(`ball ${i} has a centre ${zero}`);
    if (far([...ball.centre, radius])) throw fail(`ball ${i} is too far away or too large; ${range}`);
    if (radius < rules.least_radius)
      throw fail(`ball ${i} has radius ${radius}; it must be at least ${rules.least_radius} px`);
    if (ball.centre[1] > rules.height)
      throw fail(`ball ${i} starts at y = ${ball.centre[1]}, already below ${rules.height}`);
  });
  const count = blocks.length + balls.length;
  if (count > rules.bodies) throw fail(`${count} bodies, but at most ${rules.bodies} are allowed`);
  const { bodies } = gameGeometry(data);
  const grays = bodies.flatMap(({ kind }, body) => (kind === "gray" ? [body] : []));
  if (grays.length > rules.grays)
    throw fail(`${grays.length} gray blocks, but at most ${rules.grays} are allowed`);
  checkJoints(bodies, { stick: sticks, spring: springs }, rules, fail);
  // A click on the centre of a gray block must mean that block.
  for (const body of grays) {
    const [x, y] = startOf(bodies[body]);
    const hit = grayAt(bodies, { x, y });
    if (hit !== body)
      throw fail(
        `block ${body} cannot be clicked at its centre, because block ${hit} covers that point`,
      );
  }
}

function checkJoints(bodies, joints, rules, fail) {
  const all = Object.entries(joints).flatMap(([word, pairs]) => pairs.map((pair) => [word, pair]));
  if (all.length > rules.joints)
    throw fail(`${all.length} sticks and springs, but at most ${rules.joints} are allowed`);
  for (const [word, pair] of all) {
    const where = `${word} ${JSON.stringify(pair)}`;
    if (!isNumbers(pair, 2) || !pair.every((body) => Number.isInteger(body) && body in bodies))
      throw fail(`${where} must name two bodies from 0 to ${bodies.length - 1}`);
    const [a, b] = pair.map((body) => bodies[body]);
    if (a === b) throw fail(`${where} joins a body to itself`);
    if (!a.dynamic && !b.dynamic) throw fail(`${where} joins two bodies that cannot move`);
    if (String(startOf(a)) === String(startOf(b)))
      throw fail(`${where} joins bodies with the same centre, so it has no direction`);
  }
}

/** Whether a puzzle keeps the rules, as the server's type PuzzleCheck. */
export async function checkPuzzle(backend, puzzle) {
  try {
    const { benchmark, data } = await cleanPuzzle(backend, puzzle);
    if (benchmark === "phyre") (await backend.catalogue.engine()).phyre.simulate(data, []);
    return { ok: true, error: null, body: null };
  } catch (error) {
    const { message, status } = /** @type {any} */ (error);
    if (status !== 422 && !(error instanceof SceneError)) throw error;
    const named = NAMED.exec(message);
    return { ok: false, error: message, body: named ? Number(named[1]) : null };
  }
}

/**
 * Try random actions or plans for some seconds, as the server's type Solvability.
 * @param {any} backend
 * @param {any} puzzle
 * @param {number} seconds
 * @param {number} [enough] solutions to find; many tell how rare they are
 */
export async function solvability(backend, { benchmark, tier, data }, seconds, enough = 1) {
  const { catalogue } = backend;
  const [engine, { solvability: rules }] = await Promise.all([
    catalogue.engine(),
    catalogue.answers(),
  ]);
  const end = performance.now() + 1000 * seconds;
  if (benchmark === "phyre") return tryActions(engine, data, tier, rules[tier], end, enough);
  const { rules: clocks } = await catalogue.games();
  return tryPlans(engine, gameGeometry(data), clocks.play, rules.plans, end, enough);
}

/** Try again and again until a function returns true or the time is over, a slice at a time. */
async function tryUntil(end, attempt) {
  for (let now = performance.now(); now < end; now = performance.now()) {
    const pause = Math.min(now + SLICE, end);
    while (performance.now() < pause) if (attempt()) return;
    await new Promise((resolve) => setTimeout(resolve));
  }
}

async function tryActions(engine, scene, tier, test, end, enough) {
  const { p0, min_valid: least, significance } = test;
  let [tried, valid, solved, stable] = [0, 0, 0, 0];
  let solution = null;
  // The chance of no stable solution, if twice the share p0 of actions were one.
  const hopeless = () => !stable && valid >= least && (1 - 2 * p0) ** valid < significance;
  await tryUntil(end, () => {
    const action = Array.from({ length: 3 * ballsOf(tier) }, Math.random);
    const { outcome } = engine.phyre.simulate(scene, action, { stable: true });
    tried += 1;
    if (outcome === "invalid") return false;
    valid += 1;
    if (outcome !== "not_solved") solved += 1;
    if (outcome === "stably_solved") {
      stable += 1;
      solution ??= action;
    }
    return (stable > 0 && solved >= enough) || hopeless();
  });
  const verdict = solution ? "solvable" : hopeless() ? "unsolvable" : "open";
  const sentence = verdictSentence(verdict, solved, valid, "valid actions");
  return { verdict, tried, valid, solved, stable, solution, plan: null, sentence };
}

async function tryPlans(engine, game, clock, { interval, latest, never }, end, enough) {
  const grays = game.bodies.flatMap(({ kind }, body) => (kind === "gray" ? [body] : []));
  const ticks = Math.round(interval * clock.hz);
  const draw = () => ticks * (1 + Math.floor((Math.random() * latest) / interval));
  let [tried, solved] = [0, 0];
  let plan = null;
  await tryUntil(end, () => {
    const drawn = grays
      .filter(() => Math.random() >= never)
      .map((body) => ({ body, tick: draw() }))
      .sort((a, b) => a.tick - b.tick);
    // One block goes at a tick; the next one waits.
    drawn.forEach((one, i) => (one.tick = Math.max(one.tick, (drawn[i - 1]?.tick ?? -1) + 1)));
    tried += 1;
    if (engine.iphyre.play(game, drawn, clock).solved) {
      solved += 1;
      plan ??= drawn;
    }
    return solved >= enough || !grays.length;
  });
  const verdict = plan ? "solvable" : grays.length ? "open" : "unsolvable";
  const sentence = verdictSentence(verdict, solved, tried, "plans");
  return { verdict, tried, valid: tried, solved, stable: null, solution: null, plan, sentence };
}

function verdictSentence(verdict, solved, valid, what) {
  if (verdict === "solvable")
    return `It can be solved: ${solved} of ${valid} random ${what} solved it.`;
  if (verdict === "unsolvable")
    return `It seems to be unsolvable: none of ${valid} random ${what} solved it reliably.`;
  if (solved)
    return `This is undecided: ${solved} of ${valid} random ${what} solved it, but none reliably.`;
  return `This is undecided: none of ${valid} random ${what} solved it.`;
}
