// The panels beside an I-PHYRE game: the attempts so far, and the results of others.
import { bars } from "../chart.js";
import { h } from "../dom.js";
import { iphyreTerm, term } from "../glossary.js";
import { button, chip, reportErrors } from "../widgets.js";

const SHOWN = 8; // attempts in the table

/**
 * @param {any[]} attempts of the server's type GameAttempt
 * @param {(one: any) => Promise<void>} rewatch
 */
export function attemptTable(attempts, rewatch) {
  return h(
    "div",
    { class: "scroller" },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", {}, "#"),
          h("th", {}, "Result"),
          h("th", { class: "number" }, term("Score", "score")),
          h("td", {}),
        ),
      ),
      h(
        "tbody",
        {},
        attempts.slice(-SHOWN).map((one) => row(one, rewatch)),
      ),
    ),
  );
}

function row(one, rewatch) {
  const { number, solved, abandoned, counted, reward } = one;
  return h(
    "tr",
    {},
    h("td", {}, number),
    h(
      "td",
      {},
      solved ? chip("solved", "good", "check") : chip(abandoned ? "abandoned" : "not solved"),
      !counted && [" ", chip("practice", "warm")],
    ),
    h("td", { class: "number" }, reward.toFixed(1).replace("-", "−")),
    h(
      "td",
      {},
      button("Replay", {
        kind: "quiet",
        "aria-label": `Replay attempt ${number}`,
        onclick: () => reportErrors(() => rewatch(one)),
      }),
    ),
  );
}

/** The mean of the counted attempts beside the results of the paper's people and agents. */
export function comparison({ others, source }, attempts) {
  if (Object.keys(others).length === 0) return null;
  const counted = attempts.filter((one) => one.counted);
  const mean = counted.length
    ? counted.reduce((sum, one) => sum + one.reward, 0) / counted.length
    : null;
  const rows = Object.entries(others).map(([name, value]) => ({ name, value }));
  return h(
    "section",
    { class: "card stack", "aria-label": "Comparison" },
    h("h2", {}, "Compared with people and agents"),
    bars([{ name: "You (mean)", value: mean, you: true }, ...rows], {
      low: -100,
      high: 1000,
      digits: 0,
      explain: iphyreTerm,
    }),
    h("p", { class: "small muted" }, source),
  );
}
