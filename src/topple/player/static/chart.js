// Charts: the success curve of a player, and bars that compare players.
import { h, svg } from "./dom.js";
import { term } from "./glossary.js";

const [WIDE, HIGH] = [340, 170];
const PAD = { left: 30, right: 6, top: 8, bottom: 22 };
const TICKS = [1, 3, 10, 30, 100];

/**
 * The share of tasks solved within a number of attempts, on a logarithmic axis as in AUCCESS.
 * @param {number[]} mine [100]
 * @param {{ name: string, curve: number[] | null }[]} others drawn if their curve is known
 */
export function successChart(mine, others) {
  const x = (k) => PAD.left + (Math.log(k) / Math.log(100)) * (WIDE - PAD.left - PAD.right);
  const y = (share) => PAD.top + (1 - share) * (HIGH - PAD.top - PAD.bottom);
  const path = (curve) =>
    curve
      .map((share, i) => `${i ? "L" : "M"}${x(i + 1).toFixed(1)} ${y(share).toFixed(1)}`)
      .join("");
  const lines = others.filter(({ curve }) => curve);
  return svg(
    "svg",
    { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": describe(mine) },
    [0, 0.5, 1].map((share) => [
      svg("line", {
        class: "rule",
        x1: PAD.left,
        x2: WIDE - PAD.right,
        y1: y(share),
        y2: y(share),
      }),
      svg("text", { x: PAD.left - 6, y: y(share) + 3.5, "text-anchor": "end" }, `${share * 100}%`),
    ]),
    TICKS.map((k) =>
      svg(
        "text",
        { x: x(k), y: HIGH - 6, "text-anchor": k === 1 ? "start" : k === 100 ? "end" : "middle" },
        k === 1 ? "1 attempt" : k,
      ),
    ),
    lines.map(({ name, curve }) =>
      svg("path", { class: "curve", d: path(curve) }, svg("title", {}, name)),
    ),
    lines.map(({ name, curve }) =>
      svg("text", { x: x(100), y: y(curve.at(-1)) - 5, "text-anchor": "end" }, name),
    ),
    svg("path", { class: "curve you", d: path(mine) }),
  );
}

function describe(mine) {
  const at = (k) => `${Math.round(100 * mine[k - 1])}% within ${k}`;
  return `Your success curve: ${at(1)}, ${at(10)}, ${at(100)} attempts`;
}

/**
 * Bars with names and values.
 * @param {{ name: string, value: number | null, you?: boolean, note?: string }[]} rows
 * @param {{ low?: number, high: number, digits?: number, explain?: (name: string) => any }} scale
 */
export function bars(rows, { low = 0, high, digits = 1, explain = term }) {
  return h(
    "ul",
    { class: "bars" },
    rows.map(({ name, value, you, note }) => {
      const fill = h("i");
      const share = value === null ? 0 : (value - low) / (high - low);
      fill.style.width = `${100 * Math.min(Math.max(share, 0), 1)}%`;
      return h(
        "li",
        { class: you ? "you" : "", title: note },
        h("span", {}, explain(name)),
        h("span", { class: "track" }, fill),
        h("span", { class: "value" }, value === null ? "–" : value.toFixed(digits)),
      );
    }),
  );
}
