// Checks that this engine gives the bits of the package's; topple.player.bits makes them.

/**
 * The checks that fail, in order; none if all bits are equal.
 * @param {import("./engine.js").Engine} engine
 * @param {any[]} checks
 * @param {{ template: (id: string) => Promise<any>, games: any }} data what readTemplate and
 *   readGames of data.js return
 * @returns {Promise<any[]>}
 */
export async function failedChecks(engine, checks, data) {
  const games = new Map(data.games.games.map((game) => [game.name, game]));
  const failed = [];
  for (const check of checks) {
    const arrays =
      "template" in check
        ? phyreArrays(engine.phyre, check, (await data.template(check.template)).tasks)
        : iphyreArrays(engine.iphyre, check, games.get(check.game), data.games.rules[check.rules]);
    if ((await sha256(arrays)) !== check.sha256) failed.push(check);
  }
  return failed;
}

/**
 * The hashes of the engines if this one passes the probe of its data files; null for one that does
 * not.
 * @returns {Promise<{ phyre: string | null, iphyre: string | null }>}
 */
export async function engineHashes(engine, probe, data) {
  const failed = await failedChecks(engine, probe.checks, data);
  const { phyre, iphyre } = probe.engine;
  return {
    phyre: failed.some((check) => "template" in check) ? null : phyre,
    iphyre: failed.some((check) => "game" in check) ? null : iphyre,
  };
}

function phyreArrays(engine, { attempts, max_steps, stride }, tasks) {
  if (!attempts) {
    return tasks.flatMap(({ scene }) => {
      const { image, objects } = engine.observe(scene);
      return [image, objects];
    });
  }
  const frames = stride > 0;
  const kept = { states: frames, objects: frames, images: frames, finalState: !frames };
  const options = { maxSteps: max_steps, stride, ...kept };
  return attempts.flatMap(([task, actions]) => {
    const { scene } = tasks[task];
    if (!frames) {
      const { outcome, steps, finalState } = engine.simulateMany(scene, actions, options);
      return [outcome, steps, finalState];
    }
    // One by one: the pictures of all would need too much memory.
    const all = actions.map((action) => engine.simulateMany(scene, [action], options));
    const rows = (array, { frameCount }) =>
      array.subarray(0, (array.length / (Math.floor((max_steps - 1) / stride) + 1)) * frameCount[0]);
    return [
      ...all.map(({ outcome }) => outcome),
      ...all.map(({ steps }) => steps),
      ...all.flatMap((one) => [one.states, one.objects, one.images].map((a) => rows(a, one))),
    ];
  });
}

function iphyreArrays(engine, { plans, watched }, game, rules) {
  const named = plans.map((plan) => plan.map(([tick, body]) => ({ tick, body })));
  if (!watched) {
    const { solved, ticks, removed, finalState } = engine.playMany(game, named, rules, {
      finalState: true,
    });
    return [solved, ticks, removed, finalState];
  }
  const all = named.map((plan) => engine.play(game, plan, rules, { stride: 1 }));
  return [
    Uint8Array.from(all, ({ solved }) => (solved ? 1 : 0)),
    Int32Array.from(all, ({ ticks }) => ticks),
    Int32Array.from(all, ({ removed }) => removed),
    ...all.map(({ states }) => states),
  ];
}

/** The SHA-256 of arrays one behind the other, in hexadecimal. */
async function sha256(arrays) {
  const bytes = await new Blob(arrays).arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
