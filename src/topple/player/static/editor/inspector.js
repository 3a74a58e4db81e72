// What can be said and changed about the bodies on the bench.
import { h } from "../dom.js";
import { button, segments } from "../widgets.js";

/** A button for each body, for those who cannot point at it. @param {import("./bench.js").Bench} bench */
export function bodyButtons(bench) {
  const { draft, selected } = bench;
  if (draft.items.length === 0) return h("p", { class: "muted small" }, "The room is empty.");
  return draft.items.map((_, i) =>
    h(
      "button",
      {
        type: "button",
        class: i === selected ? "primary" : "quiet",
        "aria-pressed": String(i === selected),
        onclick: () => {
          bench.select(i);
          bench.stage.canvas.focus();
        },
      },
      `${i + 1} ${draft.name(i)}`,
    ),
  );
}

/**
 * The fields of the chosen body.
 * @param {import("./bench.js").Bench} bench
 * @param {() => void} onchange
 */
export function inspector(bench, onchange) {
  const { draft, selected } = bench;
  if (selected < 0) {
    return [
      h("h2", {}, draft.prompt ? "Join two bodies" : "Nothing chosen"),
      h(
        "p",
        { class: "muted small" },
        draft.prompt || `Add a body from the tools, or choose one in the scene. ${draft.hint}`,
      ),
    ];
  }
  const change = (action) => (value) => {
    action(value);
    bench.commit();
    onchange();
  };
  return [
    h("h2", {}, `${selected + 1} ${draft.name(selected)}`),
    draft.prompt && h("p", { class: "check" }, draft.prompt),
    draft
      .choices(selected)
      .map(([label, options, value, set]) =>
        h(
          "div",
          { class: "row spread" },
          h("span", { class: "small muted" }, label),
          segments(label, options, value, change(set)),
        ),
      ),
    h(
      "div",
      { class: "fields" },
      draft.fields(selected).map(([label, value, set]) => numberField(label, value, change(set))),
    ),
    button("Remove", { icon: "trash", kind: "quiet danger", onclick: () => bench.remove() }),
  ];
}

function numberField(label, value, set) {
  const input = h("input", {
    type: "number",
    step: "any",
    value: Math.round(value * 10) / 10,
    onchange: () => Number.isFinite(input.valueAsNumber) && set(input.valueAsNumber),
  });
  return h("label", {}, label, input);
}
