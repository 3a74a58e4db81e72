// The list of bodies and the fields of the selected one.
import { h } from "../dom.js";
import { button, segments } from "../widgets.js";

/** A button for each body, for people who do not use a pointer. @param {import("./scene_editor.js").SceneEditor} editor */
export function bodyButtons(editor) {
  const { draft, selected } = editor;
  if (draft.items.length === 0) return h("p", { class: "muted small" }, "The scene is empty.");
  return draft.items.map((_, i) =>
    h(
      "button",
      {
        type: "button",
        class: i === selected ? "primary" : "quiet",
        "aria-pressed": String(i === selected),
        onclick: () => {
          editor.select(i);
          editor.view.canvas.focus();
        },
      },
      `${i + 1} ${draft.name(i)}`,
    ),
  );
}

/**
 * The fields of the selected body.
 * @param {import("./scene_editor.js").SceneEditor} editor
 * @param {() => void} onchange
 */
export function inspector(editor, onchange) {
  const { draft, selected } = editor;
  if (selected < 0) {
    return [
      h("h2", {}, draft.prompt ? "Join two bodies" : "No body is selected"),
      h(
        "p",
        { class: "muted small" },
        draft.prompt || `Add a body with the tools, or select one in the scene. ${draft.hint}`,
      ),
    ];
  }
  const change = (action) => (value) => {
    action(value);
    editor.commit();
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
    button("Remove", { icon: "trash", kind: "quiet danger", onclick: () => editor.remove() }),
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
