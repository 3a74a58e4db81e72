// Tasks and games by name, published or made by the player.
import { ApiError } from "../api_error.js";
import { gameGeometry } from "../canvas/iphyre_geometry.js";

export const OWN = "own:";

/** A stored puzzle of one's own. */
export async function ownPuzzle({ store }, id, benchmark = null) {
  const puzzle = await store.get("puzzles", id);
  if (!puzzle || (benchmark && puzzle.benchmark !== benchmark))
    throw new ApiError(404, "There is no such puzzle in this browser. Ask for a link that holds it.");
  return puzzle;
}

/**
 * A PHYRE task: its answer for the page, the scene for the engine, and a solution and its hints if
 * one is known.
 * @returns {Promise<{ answer: any, scene: any, solution: number[] | null, hints: any[] | null }>}
 */
export async function findTask(backend, name) {
  const { catalogue } = backend;
  const { task } = await catalogue.answers();
  if (name.startsWith(OWN)) {
    const { data, tier, name: title } = await ownPuzzle(backend, name.slice(OWN.length), "phyre");
    const answer = {
      ...task,
      id: name,
      name: title,
      template: "",
      tier,
      description: goalSentence(data),
      idea: "",
      balls: ballsOf(tier),
      scene: sceneModel(data),
      previous: null,
      next: null,
    };
    return { answer, scene: data, solution: null, hints: null };
  }
  const { first, tiers } = await catalogue.answers();
  const [id] = name.split(":");
  if (!Object.hasOwn(tiers, id)) throw unknown(name);
  const { task: rest, scene, ...known } = first[name] ?? (await catalogue.task(id, name)) ?? {};
  if (!rest) throw unknown(name);
  return { answer: { ...task, ...rest, scene: sceneModel(scene) }, scene, ...known };
}

const unknown = (name) => new ApiError(404, `There is no task ${name}.`);

/** A scene as the page draws it, which is the server's type PhyreScene. */
export function sceneModel({ width, height, bodies, goal }) {
  const drawn = bodies.map(({ shapes, position, angle = 0, color = "black", dynamic }) => ({
    shapes,
    position,
    angle,
    color,
    dynamic,
  }));
  return { width, height, bodies: drawn, goal: goal ? [goal.first, goal.second] : null };
}

/** What to do in a scene that was made by a player. */
function goalSentence({ bodies, goal: { first, second } }) {
  const [one, other] = [first, second].map((index) => {
    const { color = "black", kind = "undefined", shapes } = bodies[index];
    const corners = shapes.length === 1 ? shapes[0].polygon?.length : 0;
    const free = { 3: "wedge", 4: "box" }[corners] ?? "polygon";
    return `${color} ${kind === "undefined" ? free : kind.replace("_", " ")}`;
  });
  return `Make sure the ${one} is touching the ${other}.`;
}

export function ballsOf(tier) {
  return tier === "two_balls" ? 2 : 1;
}

/** An I-PHYRE game: its answer for the page, which the engine takes as well. */
export async function findGame(backend, name) {
  const { catalogue } = backend;
  const { game, games } = await catalogue.answers();
  if (name.startsWith(OWN)) {
    const { data } = await ownPuzzle(backend, name.slice(OWN.length), "iphyre");
    const geometry = gameGeometry(data);
    return {
      ...game,
      name,
      title: inWords(data.name),
      split: "own",
      concept: data.concept ?? "",
      others: {},
      moving: geometry.bodies.flatMap(({ dynamic }, body) => (dynamic ? [body] : [])),
      ...geometry,
    };
  }
  const found = games.find((one) => one.name === name);
  if (!found) throw new ApiError(404, `There is no game ${name}.`);
  return { ...found.scene, ...(await geometryOf(catalogue, name)) };
}

function inWords(name) {
  const words = name.replaceAll("_", " ").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What is drawn of a published game. */
export async function geometryOf(catalogue, name) {
  const { bodies, sticks, springs } = (await catalogue.games()).games.get(name);
  return { bodies, sticks, springs };
}
