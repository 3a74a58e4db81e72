// All I-PHYRE games by split, with the player's averages beside those of the paper.
import { api } from "../api.js";
import { bars } from "../chart.js";
import { count, h, replace } from "../dom.js";
import { iphyreTerm, term } from "../glossary.js";
import { icon } from "../icons.js";
import { Pictures } from "../pictures.js";
import { pageLink } from "../router.js";
import { head, segments } from "../widgets.js";

export const SPLITS = {
  basic: ["Basic", "One idea per game; agents train on these."],
  noisy: ["Noisy", "The same ideas among blocks that do nothing."],
  compositional: ["Compositional", "Two ideas at once."],
  multi_ball: ["Multi-ball", "More than one ball must get out."],
  unseen_basic: ["Unseen basic", "Variations of the basic games."],
};
const STATES = [
  ["", "All"],
  ["open", "Unsolved"],
  ["solved", "Solved"],
];

export async function iphyreGallery() {
  await api.player();
  const [games, standing] = await Promise.all([
    api.get("iphyre/games"),
    api.get("iphyre/standing"),
  ]);
  const pictures = new Pictures();
  const tiles = games.map((game) => [game, tile(game, pictures)]);
  const sections = h("div");

  const show = (state) => {
    const wanted = tiles.filter(([game]) => !state || game.solved === (state === "solved"));
    replace(
      sections,
      Object.entries(SPLITS).map(([split, [name, text]]) => {
        const own = wanted.filter(([game]) => game.split === split);
        if (own.length === 0) return null;
        return [
          h("div", { class: "section" }, h("h2", {}, name), h("p", {}, text)),
          h(
            "div",
            { class: "grid" },
            own.map(([, element]) => element),
          ),
        ];
      }),
    );
    if (!sections.firstChild) replace(sections, h("p", { class: "empty" }, "There are none yet."));
  };
  show("");

  return {
    title: "I-PHYRE",
    leave: () => pictures.close(),
    element: h(
      "div",
      {},
      head({
        title: "I-PHYRE",
        text: [
          "Get the red balls out through the bottom. All you can do is remove gray blocks, and timing matters: " +
            "the clock runs while you think. The ",
          term("score", "score"),
          " is 1000 points for success, minus 1 for every second and 10 for every block.",
        ],
      }),
      h("div", { class: "filters" }, segments("Show", STATES, "", show)),
      standing.splits.some(({ games: played }) => played) && standingCard(standing),
      sections,
    ),
  };
}

function tile(game, pictures) {
  const { name, title, balls, gray, solved, best_reward: best, attempts } = game;
  const state = best === null ? (attempts ? "tried" : "") : `best ${best.toFixed(0)}`;
  return h(
    "a",
    { class: "tile", href: pageLink("iphyre", name) },
    pictures.iphyre(game),
    solved && h("span", { class: "badge" }, icon("check")),
    h(
      "span",
      { class: "text" },
      h("h3", {}, title),
      h("p", {}, `${count(balls, "ball")}, ${count(gray, "gray block")}`),
      h("span", { class: "id" }, state),
    ),
  );
}

function standingCard({ splits, source }) {
  const played = splits.filter(({ games }) => games);
  return h(
    "section",
    { class: "card stack", "aria-label": "Your averages" },
    h("h2", {}, "Your averages"),
    h(
      "div",
      { class: "columns" },
      played.map(({ split, games, of, mean_reward: mean, others }) =>
        h(
          "div",
          { class: "stack" },
          h("h3", {}, `${SPLITS[split]?.[0] ?? split} · ${games} of ${of} games`),
          bars(
            [
              { name: "You", value: mean, you: true },
              ...Object.entries(others).map(([name, value]) => ({ name, value })),
            ],
            { low: -100, high: 1000, digits: 0, explain: iphyreTerm },
          ),
        ),
      ),
    ),
    h("p", { class: "small muted" }, source),
  );
}
