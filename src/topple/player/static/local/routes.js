// The calls that the local back end answers: those of the server's routes, without studies.
import { ApiError } from "../api_error.js";
import { findRoute, prepare, replayGame, SIMULATED } from "../engine/answers.js";
import { addAttempt, gameAttempt, noteShown, progress, tallies, UNTRIED } from "./attempts.js";
import { exportAttempts } from "./export.js";
import { findGame, findTask, geometryOf, OWN, ownPuzzle, sceneModel } from "./puzzles.js";
import { iphyreStanding, phyreStanding } from "./standing.js";

const RECENT = 50; // attempts shown with a game, beside those that count

/** A function that only puzzles of one's own need; it is loaded when it is first called. */
const lazily =
  (name) =>
  async (...given) =>
    (await import("./own_puzzles.js"))[name](...given);
const checkPuzzle = lazily("checkPuzzle");
const cleanPuzzle = lazily("cleanPuzzle");
const solvability = lazily("solvability");

/** @typedef {import("../engine/answers.js").Call} Call */

/** @type {[method: string, pattern: string, (backend: any, call: Call) => any][]} */
const ROUTES = [
  ["GET", "health", health],
  ["GET", "phyre/templates", listTemplates],
  ["GET", "phyre/templates/:template/tasks", listTasks],
  ["GET", "phyre/tasks/:task", showTask],
  ["POST", "phyre/tasks/:task/attempts", makeAttempt],
  ["GET", "phyre/tasks/:task/attempts", listAttempts],
  ["POST", "phyre/tasks/:task/solution", showSolution],
  ["GET", "phyre/standing", (backend, { query }) => phyreStanding(backend, query.tier ?? "ball")],
  ["GET", "iphyre/games", listGames],
  ["GET", "iphyre/games/:game", showGame],
  ["GET", "iphyre/games/:game/attempts", listPlays],
  ["POST", "phyre/tasks/:task/hints", taskHint],
  ["POST", "iphyre/games/:game/hints", gameHint],
  ["POST", "iphyre/games/:game/solution", gameSolution],
  ["GET", "iphyre/standing", iphyreStanding],
  ...SIMULATED.map(
    ([method, pattern, handler]) =>
      /** @type {any} */ ([method, pattern, (backend, call) => handler(sourceOf(backend), call)]),
  ),
  ["GET", "runs", async ({ catalogue }) => (await catalogue.lists()).runs],
  ["GET", "runs/:run", async (backend, { parts: [id] }) => (await findRun(backend, id)).run],
  ["GET", "runs/:run/items/:subject", listRunAttempts],
  ["GET", "runs/:run/items/:subject/imagined", showImagined],
  ["GET", "puzzles", listPuzzles],
  ["GET", "puzzles/blank", blankPuzzle],
  ["POST", "puzzles/check", (backend, { body }) => checkPuzzle(backend, body)],
  ["POST", "puzzles/solvability", measureDraft],
  ["POST", "puzzles", newPuzzle],
  ["GET", "puzzles/:puzzle", async (backend, { parts: [id] }) => out(await ownPuzzle(backend, id))],
  ["PUT", "puzzles/:puzzle", changePuzzle],
  ["DELETE", "puzzles/:puzzle", deletePuzzle],
  ["POST", "puzzles/:puzzle/solvability", findSolvability],
  ["GET", "me/progress", allProgress],
  ["GET", "me/attempts", exportAttempts],
  ["DELETE", "me", ({ store }) => store.clear()],
];

/** Answer a call, or fail with an ApiError. */
export function answer(backend, call) {
  const found = findRoute(ROUTES, call);
  if (!found) throw new ApiError(404, "This needs a server: start one with `topple play`.");
  return found.handler(backend, found.call);
}

/** Where the calls that need physics alone find puzzles and the engine. */
function sourceOf(backend) {
  const { catalogue } = backend;
  return {
    task: (name) => findTask(backend, name),
    game: (name) => findGame(backend, name),
    engine: () => catalogue.engine(),
    rules: async () => (await catalogue.games()).rules,
  };
}

async function health({ catalogue }) {
  return (await catalogue.answers()).health;
}

async function listTemplates(backend) {
  const { templates } = await backend.catalogue.lists();
  const tally = [...(await tallies(backend, "phyre"))];
  return templates.map((template) => {
    const tried = tally.filter(([subject]) => subject.startsWith(`${template.id}:`));
    const solved = tried.filter(([, { solved: yes }]) => yes).length;
    return { ...template, tried: tried.length, solved };
  });
}

async function listTasks(backend, { parts: [id], query }) {
  const { tiers } = await backend.catalogue.answers();
  if (!Object.hasOwn(tiers, id)) throw new ApiError(404, `There is no template ${id}.`);
  const cards = await backend.catalogue.cards(id);
  const tally = await tallies(backend, "phyre");
  const shown = new Set((await backend.store.all("marks")).map(({ subject }) => subject));
  const tasks = cards.map((card) => {
    const { attempts, solved } = tally.get(card.id) ?? UNTRIED;
    return { ...card, scene: sceneModel(card.scene), attempts, solved, shown: shown.has(card.id) };
  });
  return query.solved === undefined
    ? tasks
    : tasks.filter(({ solved }) => String(solved) === String(query.solved));
}

async function showTask(backend, { parts: [name] }) {
  const { answer: task } = await findTask(backend, name);
  noteShown(backend, name);
  return { ...task, progress: await progress(backend, "phyre", name) };
}

async function makeAttempt(backend, { parts: [name], body: { action, stride = 1 } }) {
  const { engine, scene } = await prepare(sourceOf(backend), name, action);
  const { outcome, steps, trajectory } = engine.phyre.trajectory(scene, action, stride);
  const row =
    outcome === "invalid"
      ? null
      : await addAttempt(backend, "phyre", name, {
          action,
          solved: outcome === "solved",
          ticks: steps,
        });
  return {
    id: row?.id ?? null,
    number: row?.number ?? null,
    counted: row?.counted ?? false,
    outcome,
    steps: row ? steps : 0,
    reason: row ? null : engine.phyre.validate(scene, action).reason,
    trajectory: row ? trajectory : null,
    progress: await progress(backend, "phyre", name),
  };
}

async function listAttempts({ store }, { parts: [name] }) {
  return (await store.attempts("phyre", name)).map(({ id, number, action, solved, counted }) => ({
    id,
    number,
    action,
    outcome: solved ? "solved" : "not_solved",
    counted,
  }));
}

async function showSolution(backend, { parts: [name] }) {
  const { answer: task, scene, solution } = await findTask(backend, name);
  const engine = await backend.catalogue.engine();
  const found = solution
    ? [solution, "from the known solutions"]
    : [await search(backend, task, scene), "found by search"];
  const [action, source] = found;
  if (!action) throw new ApiError(404, `No solution of ${name} is known, and a search found none.`);
  await backend.store.put("marks", { subject: name });
  return { action, source, trajectory: engine.phyre.trajectory(scene, action, 1).trajectory };
}

async function taskHint(backend, { parts: [name], body: { level } }) {
  const { hints } = await findTask(backend, name);
  return giveHint(backend, name, hints, level);
}

async function gameHint(backend, { parts: [name], body: { level } }) {
  const { games } = await backend.catalogue.answers();
  return giveHint(backend, name, games.find((game) => game.name === name)?.hints, level);
}

async function giveHint({ store }, subject, hints, level) {
  if (!hints) throw new ApiError(404, "There are no hints for this puzzle.");
  await store.put("marks", { subject });
  return hints[level - 1];
}

async function gameSolution(backend, { parts: [name] }) {
  const { games } = await backend.catalogue.answers();
  const plan = games.find((game) => game.name === name)?.plan ?? null;
  if (plan === null) throw new ApiError(404, `No solution of ${name} is known.`);
  await backend.store.put("marks", { subject: name });
  return replayGame(sourceOf(backend), { parts: [name], query: { plan }, body: null });
}

async function allProgress(backend) {
  const found = [];
  for (const benchmark of ["phyre", "iphyre"])
    for (const [subject, tally] of await tallies(backend, benchmark)) {
      const { made, solvedAt, practised } = tally;
      found.push({ benchmark, subject, attempts: made, solved_at: solvedAt, practised });
    }
  return found;
}

async function search(backend, { tier }, scene) {
  const { solvability: rules } = await backend.catalogue.answers();
  const puzzle = { benchmark: "phyre", tier, data: scene };
  return (await solvability(backend, puzzle, rules.search_seconds)).solution;
}

async function listGames(backend) {
  const { catalogue } = backend;
  const { games } = await catalogue.answers();
  const tally = await tallies(backend, "iphyre");
  return Promise.all(
    games.map(async ({ name, card }) => {
      const { attempts, solved, best } = tally.get(name) ?? UNTRIED;
      const geometry = await geometryOf(catalogue, name);
      return { ...card, ...geometry, attempts, solved, best_reward: best };
    }),
  );
}

async function showGame(backend, { parts: [name] }) {
  const game = await findGame(backend, name);
  noteShown(backend, name);
  const attempts = await listPlays(backend, { parts: [name] });
  const last = attempts.at(-1)?.number ?? 0;
  return {
    ...game,
    progress: await progress(backend, "iphyre", name),
    attempts: attempts.filter(({ counted, number }) => counted || number > last - RECENT),
  };
}

async function listPlays({ store }, { parts: [name] }) {
  const rows = await store.attempts("iphyre", name);
  return rows.filter(({ finished }) => finished).map(gameAttempt);
}

async function findRun({ catalogue }, id) {
  const { runs } = await catalogue.lists();
  if (!runs.some((run) => run.id === id)) throw new ApiError(404, "There is no such run here.");
  return catalogue.run(id);
}

async function listRunAttempts(backend, { parts: [id, subject] }) {
  const { attempts } = await findRun(backend, id);
  if (!Object.hasOwn(attempts, subject))
    throw new ApiError(404, `This run has no attempts at ${subject}.`);
  return attempts[subject];
}

async function showImagined(backend, { parts: [id, subject], query: { attempt = 1 } }) {
  const { imagined } = await findRun(backend, id);
  const thought = imagined?.[subject]?.[Number(attempt) - 1];
  if (!thought) throw new ApiError(404, "What it imagined before this attempt is not on this site.");
  return thought;
}

function cardOf({ id, name, benchmark, tier, mine }) {
  return { id, name, benchmark, tier, subject: `${OWN}${id}`, thumbnail: "", mine };
}

const out = (puzzle) => ({ ...cardOf(puzzle), data: puzzle.data });

async function listPuzzles({ store }, { query: { benchmark } }) {
  const puzzles = (await store.all("puzzles")).sort((a, b) => b.created.localeCompare(a.created));
  return puzzles.filter((one) => !benchmark || one.benchmark === benchmark).map(cardOf);
}

async function blankPuzzle({ catalogue }, { query: { benchmark } }) {
  return (await catalogue.answers()).blank[benchmark];
}

/** A puzzle is named by its content: one that is opened twice is stored once. */
async function newPuzzle(backend, { body }) {
  const puzzle = await cleanPuzzle(backend, body);
  const id = await contentId(puzzle);
  const known = await backend.store.get("puzzles", id);
  const mine = body.mine !== false;
  const created = known?.created ?? new Date().toISOString();
  const row = { ...puzzle, id, created, mine: known?.mine || mine };
  return out(await backend.store.put("puzzles", row));
}

const LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"; // none that look alike

async function contentId(puzzle) {
  const bytes = new TextEncoder().encode(JSON.stringify(puzzle));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest.slice(0, 12), (byte) => LETTERS[byte % LETTERS.length]).join("");
}

/** Change a puzzle: it is another one then, and the attempts at the former one go with it. */
async function changePuzzle(backend, { parts: [id], body }) {
  const former = await ownPuzzle(backend, id);
  if (former.benchmark !== body.benchmark)
    throw new ApiError(422, "A puzzle cannot change its benchmark; save a new one.");
  const changed = await newPuzzle(backend, { parts: [], query: {}, body });
  if (changed.id !== id) await deletePuzzle(backend, { parts: [id] });
  return changed;
}

async function deletePuzzle(backend, { parts: [id] }) {
  const { store } = backend;
  const puzzle = await ownPuzzle(backend, id);
  const subject = `${OWN}${id}`;
  for (const row of await store.attempts(puzzle.benchmark, subject))
    await store.delete("attempts", row.id);
  await store.delete("marks", subject);
  await store.delete("puzzles", id);
  return cardOf(puzzle);
}

async function measureDraft(backend, { body: { seconds = 5, ...draft } }) {
  const { solvability: rules } = await backend.catalogue.answers();
  const puzzle = await cleanPuzzle(backend, draft);
  return solvability(backend, puzzle, Math.min(seconds, 20), rules.enough);
}

async function findSolvability(backend, { parts: [id], body: { seconds = 5 } }) {
  return solvability(backend, await ownPuzzle(backend, id), Math.min(seconds, 20));
}
