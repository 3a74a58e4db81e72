// Graded hints: each press tells a little more, and the last one shows a solution.
import { h, replace } from "../dom.js";
import { icon } from "../icons.js";
import { settings } from "../settings.js";
import { button, confirm, reportErrors } from "../widgets.js";

const NAMES = ["Where to look", "What matters", "A closer hint"];

/**
 * @param {object} options
 * @param {import("../api.js").Api} options.api
 * @param {string} options.path of the puzzle
 * @param {() => boolean} options.counts whether attempts still count
 * @param {(marked: { body: number | null, regions: number[][] }) => void} options.show marks it in the scene
 * @param {() => Promise<void>} options.solve shows a solution
 */
export function hintBox({ api, path, counts, show, solve }) {
  let level = 0;
  const marked = { body: null, regions: [] }; // what all hints so far have marked
  const texts = h("ol", { class: "hints" });
  const allowed = async () =>
    !counts() ||
    (await confirm({
      title: "Take a hint?",
      text: "After a hint, your attempts at this puzzle are practice: they earn one star at most and do not count towards your score.",
      yes: "Take it",
    }));
  const next = button("", {
    kind: "quiet",
    onclick: () => reportErrors(step, next),
  });
  const solution = button("Show a solution", {
    kind: "quiet",
    onclick: () =>
      reportErrors(async () => {
        if (await allowed()) await solve();
      }, solution),
  });
  const step = async () => {
    if (!(await allowed())) return;
    const hint = await api.post(`${path}/hints`, { level: level + 1 });
    level += 1;
    texts.append(h("li", {}, hint.text));
    if (hint.body !== null) marked.body = hint.body;
    if (hint.regions.length) marked.regions = hint.regions;
    show(marked);
    write();
  };
  const write = () => {
    next.hidden = level >= NAMES.length;
    replace(next, icon("bulb"), level === 0 ? "Hint" : NAMES[level]);
    solution.hidden = level < NAMES.length && !settings.science;
  };
  write();
  return h("div", { class: "stack" }, texts, h("div", { class: "row" }, next, solution));
}
