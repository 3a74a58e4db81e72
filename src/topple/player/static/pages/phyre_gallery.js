// All PHYRE templates, with the player's progress.
import { api } from "../api.js";
import { count, h, replace } from "../dom.js";
import { icon } from "../icons.js";
import { Pictures } from "../pictures.js";
import { pageLink } from "../router.js";
import { meter, segments } from "../widgets.js";
import { heroShow } from "./hero.js";

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

/** The first page: an introduction above the gallery. */
export async function home() {
  const gallery = await phyreGallery();
  const show = heroShow();
  const hero = h(
    "section",
    { class: "hero" },
    h(
      "div",
      {},
      h("h1", {}, "Think before it falls."),
      h(
        "p",
        {},
        "Place a ball, let go, and see whether you understood the world. Five thousand PHYRE " +
          "puzzles and fifty I-PHYRE games, simulated exactly as for the agents you play against.",
      ),
      h(
        "div",
        { class: "row" },
        h(
          "a",
          { class: "button primary big", href: pageLink("phyre", "00001:007") },
          icon("play"),
          "Play a first puzzle",
        ),
        h("a", { class: "button big", href: pageLink("iphyre") }, "Real-time games"),
      ),
    ),
    show.element,
  );
  return {
    title: "",
    element: h("div", {}, hero, gallery.element),
    leave: () => {
      show.leave();
      gallery.leave?.();
    },
  };
}

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
    tally.textContent = shown.length
      ? count(shown.length, "template")
      : "No template matches.";
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
        h("h2", {}, "PHYRE"),
        h("p", {}, "Bring two bodies together, and keep them touching for three seconds."),
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

function fits({ id, tier, idea, tasks, tried, solved }, chosen) {
  const state = tried === 0 ? "new" : solved === tasks ? "done" : "open";
  return (
    (!chosen.tier || chosen.tier === tier) &&
    (!chosen.state || chosen.state === state) &&
    `${id} ${idea}`.toLowerCase().includes(chosen.text)
  );
}

function tile(template, pictures) {
  const { id, tier, idea, tasks, tried, solved, scene } = template;
  return h(
    "a",
    { class: "tile", href: pageLink("phyre", "template", id) },
    pictures.phyre(scene),
    solved === tasks && h("span", { class: "badge" }, icon("check")),
    h(
      "span",
      { class: "text" },
      h("span", { class: "id" }, `${id} · ${tier === "ball" ? "one ball" : "two balls"}`),
      h("p", {}, idea),
      meter(solved, tried, tasks),
    ),
  );
}
