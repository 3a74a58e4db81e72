// The hundred tasks of a PHYRE template.
import { api } from "../api.js";
import { count, h, replace } from "../dom.js";
import { icon } from "../icons.js";
import { Pictures } from "../pictures.js";
import { pageLink } from "../router.js";
import { settings } from "../settings.js";
import { head, segments } from "../widgets.js";

const STATES = [
  ["", "All"],
  ["open", "Unsolved"],
  ["solved", "Solved"],
];

/** @param {import("../router.js").Parameters} at */
export async function templatePage({ parts: [id] }) {
  const [templates, tasks] = await Promise.all([
    api.get("phyre/templates"),
    api.get(`phyre/templates/${encodeURIComponent(id)}/tasks`),
  ]);
  const template = templates.find((one) => one.id === id);
  const pictures = new Pictures();
  const tiles = tasks.map((task) => [task, tile(task, pictures)]);
  const grid = h("div", { class: "grid dense" });
  const tally = h("p", { class: "tally muted small", role: "status" });

  const show = (state) => {
    const shown = tiles.filter(([task]) => !state || task.solved === (state === "solved"));
    replace(
      grid,
      shown.map(([, element]) => element),
    );
    tally.textContent = shown.length ? count(shown.length, "task") : "There are none yet.";
  };
  show("");

  return {
    title: template?.name ?? `Template ${id}`,
    leave: () => pictures.close(),
    element: h(
      "div",
      {},
      head({
        crumbs: [settings.science ? ["PHYRE", pageLink("phyre")] : ["Puzzles", pageLink()]],
        title: template?.name ?? `Template ${id}`,
        small: id,
        text: template?.idea,
        end: h(
          "span",
          { class: "muted" },
          `${tasks.filter((task) => task.solved).length} of ${tasks.length} solved`,
        ),
      }),
      h("div", { class: "filters" }, segments("Show", STATES, "", show), tally),
      grid,
    ),
  };
}

function tile({ id, description, attempts, solved, shown, scene }, pictures) {
  const state = solved
    ? "solved"
    : shown
      ? "solution shown"
      : attempts
        ? count(attempts, "attempt")
        : "";
  return h(
    "a",
    {
      class: "tile",
      href: pageLink("phyre", id),
      title: description,
      "aria-label": `Task ${id} ${state}`,
    },
    pictures.phyre(scene),
    solved && h("span", { class: "badge" }, icon("check")),
    h(
      "span",
      { class: "text" },
      h("span", { class: "id" }, id.split(":")[1]),
      h("span", { class: "id" }, solved ? "" : attempts || ""),
    ),
  );
}
