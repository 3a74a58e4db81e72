// The puzzles made in the player, and links to make new ones.
import { api } from "../api.js";
import { gameGeometry } from "../canvas/iphyre_geometry.js";
import { h } from "../dom.js";
import { icon } from "../icons.js";
import { LazyPictures } from "../pictures.js";
import { pageLink } from "../router.js";
import { shareLink } from "../share.js";
import { button, confirm, copy, head, reportErrors } from "../widgets.js";

const SHOWN = 500; // puzzles, the newest first

export async function puzzlesPage() {
  await api.player();
  const puzzles = await api.list("puzzles", SHOWN);
  const pictures = new LazyPictures();
  return {
    title: "Make",
    leave: () => pictures.close(),
    element: h(
      "div",
      {},
      head({
        title: "Make puzzles",
        text: "Build a scene, mark the goal, test it by playing, and check whether it can be solved. Saved puzzles are JSON files that the Python API can load.",
        end: h(
          "div",
          { class: "row" },
          h("a", { class: "button primary", href: pageLink("make", "phyre") }, "New PHYRE puzzle"),
          h("a", { class: "button", href: pageLink("make", "iphyre") }, "New I-PHYRE game"),
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
            h("h2", {}, "There are no puzzles yet"),
            h("p", {}, "The first puzzle could be yours."),
          ),
    ),
  };
}

function tile(puzzle, pictures) {
  const { id, name, benchmark, subject, mine } = puzzle;
  const card = h(
    "div",
    { class: "tile" },
    pictures.of(async (drawn) => {
      const { data } = await api.get(`puzzles/${id}`);
      return benchmark === "phyre" ? drawn.phyre(data) : drawn.iphyre(gameGeometry(data));
    }),
    h(
      "div",
      { class: "text" },
      h("span", { class: "id" }, benchmark === "phyre" ? "PHYRE" : "I-PHYRE"),
      h("h2", {}, name),
      h(
        "div",
        { class: "row" },
        h(
          "a",
          { class: "button primary", href: pageLink(benchmark, subject) },
          icon("play"),
          "Play",
        ),
        h("a", { class: "button", href: pageLink("make", id) }, mine ? "Edit" : "Copy"),
        button("", {
          icon: "link",
          kind: "round quiet",
          "aria-label": `Copy a link to ${name}`,
          title: "Copy link",
          onclick: () =>
            reportErrors(async () => copy(await shareLink(pageLink(benchmark, subject)))),
        }),
        mine &&
          button("", {
            icon: "trash",
            kind: "round quiet danger",
            "aria-label": `Delete ${name}`,
            onclick: async () => {
              if (
                !(await confirm({
                  title: `Delete “${name}”?`,
                  text: "This cannot be undone.",
                  yes: "Delete",
                }))
              )
                return;
              await reportErrors(async () => (await api.delete(`puzzles/${id}`), card.remove()));
            },
          }),
      ),
    ),
  );
  return card;
}
