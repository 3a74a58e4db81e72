// The player's results in a tier, compared with random guessing and the published agents.
import { bars, successChart } from "../chart.js";
import { h } from "../dom.js";
import { term } from "../glossary.js";

/** @param {import("../api.js").Api} api @param {"ball" | "two_balls"} tier */
export async function standingCard(api, tier) {
  const standing = await api.get("phyre/standing", { tier });
  const { tasks, solved, auccess, curve, others, source } = standing;
  const figure = (value, label) => h("div", {}, h("b", {}, value), h("span", {}, label));
  return h(
    "section",
    { class: "card stack", "aria-label": "Your results" },
    h("h2", {}, tier === "ball" ? "Your results with one ball" : "Your results with two balls"),
    h(
      "div",
      { class: "figures" },
      figure(auccess === null ? "–" : (100 * auccess).toFixed(1), [term("AUCCESS"), " so far"]),
      figure(solved, "solved"),
      figure(tasks, "tasks tried"),
    ),
    curve && successChart(curve, others),
    bars([{ name: "You", value: auccess === null ? null : 100 * auccess, you: true }], {
      high: 100,
    }),
    h(
      "div",
      { class: "columns" },
      groups(others).map(([note, rows]) =>
        h(
          "div",
          {},
          h("h3", { class: "small muted" }, noteTerms(note)),
          bars(
            rows.map(({ name, auccess: value }) => ({ name, value: 100 * value })),
            { high: 100 },
          ),
        ),
      ),
    ),
    h("p", { class: "small muted" }, source),
  );
}

/** A note, with its terms explained. */
function noteTerms(note) {
  const [before, kind, after] = note.split(/(within template|cross template)/);
  return kind ? [before, term(kind, kind.split(" ")[0]), after] : note;
}

/** The others, grouped by the tasks they were measured on. */
function groups(others) {
  const found = new Map();
  for (const one of others) found.set(one.note, [...(found.get(one.note) ?? []), one]);
  return [...found];
}
