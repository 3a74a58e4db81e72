// The player's attempts as a file that `topple evaluate --from-export` reads.

/** Everything that was played, with the puzzles of one's own that it was played on. */
export async function exportAttempts({ store, catalogue }) {
  const rows = (await store.all("attempts")).filter(({ finished }) => finished);
  const marks = new Set((await store.all("marks")).map(({ subject }) => subject));
  const puzzles = (await store.all("puzzles")).map(({ id, benchmark, tier, name, data }) => [
    `own:${id}`,
    { benchmark, tier, name, data },
  ]);
  const played = new Set(rows.map(({ subject }) => subject));
  return {
    format: "topple-attempts",
    version: 1,
    engine: await catalogue.engineHashes(),
    attempts: rows.map((row) => exported(row, marks)),
    puzzles: Object.fromEntries(puzzles.filter(([subject]) => played.has(subject))),
  };
}

function exported(row, marks) {
  const { benchmark, subject, number, action, solved, ticks, reward, at, seconds } = row;
  const common = { benchmark, number, at, seconds, counted: row.counted };
  if (benchmark === "phyre") {
    const outcome = solved ? "solved" : "not_solved";
    const shown = marks.has(subject) && !row.counted;
    return { ...common, task: subject, action, outcome, steps: ticks, shown };
  }
  const plan = action.map(([tick, body]) => ({ tick, body }));
  return { ...common, game: subject, plan, solved, ticks, reward, abandoned: row.abandoned };
}
