// How the player compares with the agents and people of the papers, in either benchmark.
import { tallies } from "./attempts.js";

const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** The server's type Standing. The published results are in the answers of the site. */
export async function phyreStanding(backend, tier) {
  const { standing, tiers, weights } = await backend.catalogue.answers();
  const tally = await tallies(backend, "phyre");
  const played = [...tally].filter(
    ([subject, { attempts }]) => attempts && tiers[subject.split(":")[0]] === tier,
  );
  const first = played.map(([, { solvedAt }]) => solvedAt ?? Infinity);
  const curve = weights.map((_, k) => mean(first.map((number) => Number(number <= k + 1))));
  const area = weights.reduce((sum, weight, k) => sum + weight * curve[k], 0);
  return {
    ...standing[tier],
    tasks: played.length,
    solved: first.filter(Number.isFinite).length,
    auccess: played.length ? area / weights.reduce((sum, weight) => sum + weight) : null,
    curve: played.length ? curve : null,
  };
}

/** The server's type GameStanding. */
export async function iphyreStanding(backend) {
  const { games, game_standing: published } = await backend.catalogue.answers();
  const rows = (await backend.store.attempts("iphyre")).filter((row) => row.counted && row.finished);
  const splits = published.splits.map((standing) => {
    const played = games
      .filter(({ card }) => card.split === standing.split)
      .map(({ name }) => rows.filter(({ subject }) => subject === name))
      .filter((tries) => tries.length);
    if (!played.length) return standing;
    return {
      ...standing,
      games: played.length,
      mean_reward: mean(played.map((tries) => mean(tries.map(({ reward }) => reward)))),
      best_reward: mean(played.map((tries) => Math.max(...tries.map(({ reward }) => reward)))),
      success_rate: mean(played.map((tries) => Number(tries.some(({ solved }) => solved)))),
    };
  });
  return { ...published, splits };
}
