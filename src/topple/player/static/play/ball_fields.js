// The numbers of the balls, to read and to type.
import { MAX_RADIUS, MIN_RADIUS, SIZE } from "../canvas/geometry.js";
import { h, replace } from "../dom.js";

/** @type {[name: string, label: string, min: number, max: number][]} */
const FIELDS = [
  ["x", "x", 0, SIZE - 1],
  ["y", "y", 0, SIZE - 1],
  ["r", "Radius", MIN_RADIUS, MAX_RADIUS],
];

/** @param {import("../canvas/placement.js").Placement} placement */
export function ballFields(placement) {
  const box = h("div", { class: "stack" });
  let shown = -1;

  const build = () => {
    shown = placement.balls.length;
    replace(
      box,
      placement.balls.map((_, i) => row(placement, i)),
    );
  };
  const show = () => {
    if (shown !== placement.balls.length) build();
    placement.balls.forEach((ball, i) => {
      const row = box.children[i];
      row.querySelector(".pick").setAttribute("aria-pressed", String(i === placement.selected));
      for (const [name] of FIELDS) {
        const input = row.querySelector(`[name=${name}]`);
        if (input !== document.activeElement || input.type === "range")
          input.value = String(ball[name]);
      }
    });
  };
  placement.addEventListener("change", show);
  return box;
}

function row(placement, i) {
  const name = placement.count === 1 ? "Ball" : `Ball ${i + 1}`;
  return h(
    "div",
    { class: "ball-fields", role: "group", "aria-label": name },
    h(
      "button",
      {
        type: "button",
        class: "pick",
        "aria-label": `Select ${name.toLowerCase()}`,
        onclick: () => placement.update(i, {}),
      },
      i + 1,
    ),
    FIELDS.map(([field, label, min, max]) =>
      h(
        "label",
        {},
        label,
        h("input", {
          type: field === "r" ? "range" : "number",
          name: field,
          min,
          max,
          step: 1,
          "aria-label": `${name}, ${label.toLowerCase()}`,
          onchange: () => placement.settle(),
          oninput: (event) => {
            if (event.target.value !== "")
              placement.update(i, { [field]: Number(event.target.value) });
          },
        }),
      ),
    ),
  );
}
