// The path through both benchmarks, from easy to hard: its puzzles, stars, and what comes next.
// The rules are pure functions of path.json and a player's progress.
import { api } from "./api.js";
import { pageLink } from "./router.js";

export const LEVEL = 10; // puzzles of a level
export const MOST_STARS = 3;
const FEW = 3; // attempts that still earn two stars

/**
 * @typedef {object} Stop a puzzle on the path
 * @property {"phyre" | "iphyre"} benchmark
 * @property {string} id of the task, or name of the game
 * @property {string} name
 * @property {number} share of random attempts that solve it
 * @typedef {{ benchmark: string, subject: string, attempts: number, solved_at: number | null, practised: boolean }} Done
 */

/** @type {Promise<Stop[]> | null} */
let stops = null;

/** The puzzles in order. @returns {Promise<Stop[]>} */
export function loadPath() {
  stops ??= fetch("path.json").then(async (response) => (await response.json()).puzzles);
  return stops;
}

/** What the player has done, by benchmark and puzzle. @returns {Promise<Map<string, Done>>} */
export async function loadProgress() {
  await api.player();
  const done = await api.get("me/progress");
  return new Map(done.map((one) => [keyOf(one.benchmark, one.subject), one]));
}

export function keyOf(benchmark, subject) {
  return `${benchmark} ${subject}`;
}

/**
 * Three stars for a puzzle that was solved in one attempt, two for a few attempts, and one for
 * any other solution, also one that does not count because a hint was shown.
 * @param {{ solved_at: number | null, practised?: boolean } | undefined} done
 */
export function starsOf(done) {
  if (!done) return 0;
  if (done.solved_at === null) return done.practised ? 1 : 0;
  return done.solved_at === 1 ? MOST_STARS : done.solved_at <= FEW ? 2 : 1;
}

/** The place of a puzzle on the path; of a variant, that of its template; -1 if it has none. */
export function placeOf(path, benchmark, subject) {
  const family = (id) => (benchmark === "phyre" ? id.split(":")[0] : id);
  return path.findIndex(
    (stop) => stop.benchmark === benchmark && family(stop.id) === family(subject),
  );
}

/**
 * The next puzzle without a star: after a place on the path, else the first that was left out.
 * @param {Stop[]} path
 * @param {Map<string, Done>} progress
 * @returns {Stop | null} null when every puzzle has one
 */
export function nextStop(path, progress, place = -1) {
  const open = (stop) => starsOf(progress.get(keyOf(stop.benchmark, stop.id))) === 0;
  return path.slice(place + 1).find(open) ?? path.slice(0, Math.max(place, 0)).find(open) ?? null;
}

/** The address of a puzzle. @param {Stop} stop */
export function stopLink({ benchmark, id }) {
  return pageLink(benchmark, id);
}

/** The place of a puzzle on the path, for its page. */
export async function placeOnPath(benchmark, subject) {
  const path = await loadPath();
  return subject.startsWith("own:") ? -1 : placeOf(path, benchmark, subject);
}

/** The crumbs of a puzzle on the path. @returns {[string, string][]} */
export function pathCrumbs(place) {
  return [["Puzzles", pageLink()], ...(place < 0 ? [] : [level(place)])];
}

/** @returns {[string, string]} */
function level(place) {
  return [`Level ${Math.floor(place / LEVEL) + 1}, puzzle ${(place % LEVEL) + 1}`, pageLink()];
}

/** What comes after a puzzle, for its page: its place, and the next puzzle. */
export async function onwards(benchmark, subject) {
  const [path, progress] = await Promise.all([loadPath(), loadProgress()]);
  const place = placeOf(path, benchmark, subject);
  return { place, next: nextStop(path, progress, place), progress };
}
