// All PHYRE templates, with the player's progress.
import { api } from "../api.js";
import { count, h, replace } from "../dom.js";
import { term } from "../glossary.js";
import { icon } from "../icons.js";
import { Pictures } from "../pictures.js";
import { pageLink } from "../router.js";
import { meter, segments } from "../widgets.js";

const TIERS = [
  ["", "All"],
  ["ball", "One ball"],
  ["two_balls", "Two balls"],
];
const STATES = [
  ["", "Any state"],
  ["new", "Not started"],
  ["open", "Started"],
  ["done", "All solved"],
];

export async function phyreGallery() {
  const templates = await api.get("phyre/templates");
  const pictures = new Pictures();
  const chosen = { tier: "", state: "", text: "" };
  const grid = h("div", { class: "grid" });
  const tally = h("p", { class: "tally muted small", role: "status" });
  const tiles = templates.map((template) => [template, tile(template, pictures)]);

  const show = () => {
    const shown = tiles.filter(([template]) => fits(template, chosen));
    replace(
      grid,
      shown.map(([, element]) => element),
    );
    tally.textContent = shown.length ? count(shown.length, "template") : "No template matches.";
  };
  show();

  return {
    title: "PHYRE",
    leave: () => pictures.close(),
    element: h(
      "section",
      { "aria-label": "PHYRE puzzles" },
      h(
        "div",
        { class: "section" },
        h("h1", {}, "PHYRE"),
        h(
          "p",
          {},
          "Bring two bodies together, and keep them touching for three seconds: 50 ",
          term("templates", "template"),
          " of 100 ",
          term("tasks", "task"),
          " in two ",
          term("tiers", "tier"),
          ".",
        ),
      ),
      h(
        "div",
        { class: "filters" },
        segments("Tier", TIERS, "", (tier) => ((chosen.tier = tier), show())),
        h(
          "select",
          {
            "aria-label": "State",
            onchange: (event) => ((chosen.state = event.target.value), show()),
          },
          STATES.map(([value, text]) => h("option", { value }, text)),
        ),
        h("input", {
          type: "search",
          placeholder: "Search",
          "aria-label": "Search templates",
          oninput: (event) => ((chosen.text = event.target.value.toLowerCase()), show()),
        }),
        tally,
      ),
      grid,
    ),
  };
}

function fits({ id, name, tier, idea, tasks, tried, solved }, chosen) {
  const state = tried === 0 ? "new" : solved === tasks ? "done" : "open";
  return (
    (!chosen.tier || chosen.tier === tier) &&
    (!chosen.state || chosen.state === state) &&
    `${id} ${name} ${idea}`.toLowerCase().includes(chosen.text)
  );
}

function tile(template, pictures) {
  const { id, name, tier, idea, tasks, tried, solved, scene } = template;
  return h(
    "a",
    { class: "tile", href: pageLink("phyre", "template", id) },
    pictures.phyre(scene),
    solved === tasks && h("span", { class: "badge" }, icon("check")),
    h(
      "span",
      { class: "text" },
      h("h2", {}, name),
      h("span", { class: "id" }, `${id} · ${tier === "ball" ? "one ball" : "two balls"}`),
      h("p", {}, idea),
      meter(solved, tried, tasks),
    ),
  );
}
