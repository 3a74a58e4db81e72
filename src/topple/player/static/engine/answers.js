// The calls that need physics alone: whether an action is valid, and replays. The worker of a static
// site answers them for everything; beside a server, the page answers them for what does not count.
import { ApiError } from "../api_error.js";

const ACTION = /^[\d.e,+-]{1,200}$/i;
const PLAN = /^(\d{1,5}:\d{1,3}(,\d{1,5}:\d{1,3}){0,11})?$/;

/**
 * @typedef {{ parts: string[], query: any, body: any }} Call
 * @typedef {object} Source where puzzles and the engine come from
 * @property {(name: string) => Promise<{ answer: any, scene: any }>} task its answer for the page, and its scene for the engine
 * @property {(name: string) => Promise<any>} game
 * @property {() => Promise<any>} engine
 * @property {() => Promise<any>} rules of games, by name
 */

/** @type {[method: string, pattern: string, (source: Source, call: Call) => any][]} */
export const SIMULATED = [
  ["POST", "phyre/tasks/:task/validate", validate],
  ["GET", "replays/phyre/:task", replayTask],
  ["GET", "replays/iphyre/:game", replayGame],
];

/**
 * The handler of a call among some routes, with what it is called with, or null.
 * @param {[string, string, Function][]} routes
 */
export function findRoute(routes, { method, path, query = {}, body = undefined }) {
  const [plain, search = ""] = path.split("?");
  const words = plain.split("/").map(decodeURIComponent);
  for (const [own, pattern, handler] of routes) {
    const wanted = pattern.split("/");
    const fits =
      own === method &&
      wanted.length === words.length &&
      wanted.every((part, i) => part.startsWith(":") || part === words[i]);
    if (!fits) continue;
    const parts = words.filter((_, i) => wanted[i].startsWith(":"));
    const given = { ...Object.fromEntries(new URLSearchParams(search)), ...query };
    return { handler, call: { parts, query: given, body } };
  }
  return null;
}

/** A task, the engine, and an action that the task takes. @param {Source} source */
export async function prepare(source, name, action) {
  const [task, engine] = await Promise.all([source.task(name), source.engine()]);
  const size = 3 * task.answer.balls;
  const good = action?.length === size && action.every((v) => v >= 0 && v <= 1);
  if (!good) throw new ApiError(422, `The action has ${size} numbers from 0 to 1.`);
  return { ...task, engine };
}

async function validate(source, { parts: [name], body: { action } }) {
  const { engine, scene } = await prepare(source, name, action);
  return engine.phyre.validate(scene, action);
}

async function replayTask(source, { parts: [name], query }) {
  const text = String(query.action ?? "");
  const action = ACTION.test(text) ? text.split(",").map(Number) : [];
  const { answer: task, engine, scene } = await prepare(source, name, action);
  const { outcome, steps, trajectory } = engine.phyre.trajectory(
    scene,
    action,
    Number(query.stride ?? 1),
  );
  if (outcome === "invalid")
    throw new ApiError(422, engine.phyre.validate(scene, action).reason ?? "The action is invalid.");
  return {
    task: name,
    name: task.name,
    tier: task.tier,
    description: task.description,
    action,
    outcome,
    steps,
    scene: task.scene,
    trajectory,
    link: `/#/replay/phyre/${name}?action=${text}`,
  };
}

export async function replayGame(source, { parts: [name], query }) {
  const text = query.plan ?? "";
  const hz = Number(query.hz ?? 60);
  if (!PLAN.test(text)) throw new ApiError(422, "The plan is not of the form tick:body, ….");
  const [game, engine, rules] = await Promise.all([
    source.game(name),
    source.engine(),
    source.rules(),
  ]);
  const clock = Object.values(rules).find((one) => one.hz === hz);
  if (!clock) throw new ApiError(422, `There are no rules for ${hz} ticks a second.`);
  const plan = text
    .split(",")
    .filter(Boolean)
    .map((part) => part.split(":").map(Number))
    .map(([tick, body]) => ({ tick, body }));
  const stray = plan.find(({ body }) => game.bodies[body]?.kind !== "gray");
  if (stray) throw new ApiError(422, `Body ${stray.body} of ${name} is not a gray block.`);
  const { solved, reward, ticks, trajectory } = engine.iphyre.trajectory(game, plan, clock);
  const { bodies, sticks, springs } = game;
  return {
    game: name,
    title: game.title,
    plan,
    solved,
    reward,
    ticks,
    hz,
    trajectory,
    link: `/#/replay/iphyre/${name}?plan=${text}${hz === 60 ? "" : `&hz=${hz}`}`,
    bodies,
    sticks,
    springs,
  };
}
