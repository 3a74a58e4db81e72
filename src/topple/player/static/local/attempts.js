// Attempts: which count, and how far the player is with every puzzle.

/** This worker; a browser holds its lock as long as it lives. */
export const SESSION = crypto.randomUUID();

const lockName = (session) => `topple.session.${session}`;
navigator.locks?.request(lockName(SESSION), () => new Promise(() => {}));

/**
 * The attempts at one puzzle, counted.
 * @param {import("./store.js").Attempt[]} rows
 */
function tallyOf(rows) {
  const counted = rows.filter((row) => row.counted);
  const numbers = counted.filter((row) => row.solved).map((row) => row.number);
  const rewards = counted.map((row) => row.reward).filter((reward) => reward !== null);
  return {
    attempts: counted.length,
    made: rows.length,
    solved: numbers.length > 0,
    solvedAt: numbers.length ? Math.min(...numbers) : null,
    practised: rows.some((row) => row.solved && !row.counted),
    best: rewards.length ? Math.max(...rewards) : null,
  };
}

/** The tally of a puzzle that was not tried. */
export const UNTRIED = tallyOf([]);

/**
 * The tallies of a benchmark by puzzle, for those that were tried.
 * @returns {Promise<Map<string, ReturnType<typeof tallyOf>>>}
 */
export async function tallies({ store }, benchmark) {
  const found = new Map();
  for (const row of await store.attempts(benchmark)) {
    if (!found.has(row.subject)) found.set(row.subject, []);
    found.get(row.subject).push(row);
  }
  return new Map([...found].map(([subject, rows]) => [subject, tallyOf(rows)]));
}

/** How far the player is with a puzzle, as the server's type Progress. */
export async function progress({ store, catalogue }, benchmark, subject) {
  const { limits } = await catalogue.answers();
  const { attempts, solved, solvedAt } = tallyOf(await store.attempts(benchmark, subject));
  return {
    attempts,
    limit: limits[benchmark],
    solved,
    solved_at: solvedAt,
    shown: (await store.get("marks", subject)) !== undefined,
  };
}

/** Remember that a puzzle is on the screen, to know how long the player thinks. */
export function noteShown({ seen }, subject) {
  seen.set(subject, performance.now());
}

/** Store a new attempt: it counts within the limit, unless a solution was shown. */
export async function addAttempt(backend, benchmark, subject, columns) {
  const { store, seen } = backend;
  const before = await progress(backend, benchmark, subject);
  const made = (await store.attempts(benchmark, subject)).length;
  const seconds = (performance.now() - (seen.get(subject) ?? performance.now())) / 1000;
  noteShown(backend, subject);
  return store.put("attempts", {
    benchmark,
    subject,
    number: made + 1,
    counted: !before.shown && before.attempts < before.limit,
    solved: false,
    ticks: 0,
    reward: null,
    finished: true,
    abandoned: false,
    session: null,
    at: new Date().toISOString(),
    seconds: Math.round(seconds * 10) / 10,
    ...columns,
  });
}

/** The unfinished attempts of pages that were closed while they played. */
export async function interrupted({ store }) {
  const rows = (await store.attempts("iphyre")).filter((row) => !row.finished);
  if (!rows.length || !navigator.locks) return rows.filter((row) => row.session !== SESSION);
  const { held = [] } = await navigator.locks.query();
  const running = new Set(held.map(({ name }) => name));
  return rows.filter((row) => !running.has(lockName(row.session)));
}

/** A finished attempt at a game, as the server's type GameAttempt. */
export function gameAttempt(row) {
  const { id, number, solved, reward, ticks, action, counted, abandoned } = row;
  return {
    id,
    number,
    solved,
    reward,
    ticks,
    removed: action.length,
    plan: action.map(([tick, body]) => ({ tick, body })),
    counted,
    abandoned,
  };
}
