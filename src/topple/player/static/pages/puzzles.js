// Puzzles made here, and the way to new ones.
import { api } from "../api.js";
import { h } from "../dom.js";
import { IphyreDraft } from "../editor/iphyre_draft.js";
import { icon } from "../icons.js";
import { Pictures } from "../pictures.js";
import { place } from "../router.js";
import { attempt, button, confirm, head } from "../widgets.js";

export async function puzzlesPage() {
  await api.player();
  const puzzles = await api.get("puzzles");
  const pictures = new Pictures();
  return {
    title: "Make",
    leave: () => pictures.close(),
    element: h(
      "div",
      {},
      head({
        title: "Make puzzles",
        text: "Build a scene, mark the goal, test it by playing, and ask whether it can be solved. Saved puzzles are JSON that the Python API loads.",
        end: h(
          "div",
          { class: "row" },
          h("a", { class: "button primary", href: place("make", "phyre") }, "New PHYRE puzzle"),
          h("a", { class: "button", href: place("make", "iphyre") }, "New I-PHYRE game"),
        ),
      }),
      puzzles.length
        ? h(
            "div",
            { class: "grid" },
            puzzles.map((puzzle) => tile(puzzle, pictures)),
          )
        : h(
            "div",
            { class: "card empty" },
            h("h2", {}, "Nothing here yet"),
            h("p", {}, "The first puzzle could be yours."),
          ),
    ),
  };
}

function tile(puzzle, pictures) {
  const { id, name, benchmark, data, subject, mine } = puzzle;
  const card = h(
    "div",
    { class: "tile" },
    benchmark === "phyre" ? pictures.phyre(data) : pictures.iphyre(level(data)),
    h(
      "div",
      { class: "text" },
      h("span", { class: "id" }, benchmark === "phyre" ? "PHYRE" : "I-PHYRE"),
      h("h3", {}, name),
      h(
        "div",
        { class: "row" },
        h("a", { class: "button primary", href: place(benchmark, subject) }, icon("play"), "Play"),
        h("a", { class: "button", href: place("make", id) }, mine ? "Edit" : "Copy"),
        mine &&
          button("", {
            icon: "trash",
            kind: "round quiet danger",
            "aria-label": `Delete ${name}`,
            onclick: async () => {
              if (
                !(await confirm({
                  title: `Delete “${name}”?`,
                  text: "It cannot be brought back.",
                  yes: "Delete",
                }))
              )
                return;
              await attempt(async () => (await api.delete(`puzzles/${id}`), card.remove()));
            },
          }),
      ),
    ),
  );
  return card;
}

/** The JSON form of a game as bodies to draw. */
function level(data) {
  const draft = new IphyreDraft(data);
  return { bodies: draft.ordered, sticks: data.sticks ?? [], springs: data.springs ?? [] };
}
