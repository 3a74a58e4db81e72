// The layout around all pages: navigation, settings, and the current page.
import { api } from "./api.js";
import { announce, h, replace } from "./dom.js";
import { icon } from "./icons.js";
import { pageLink, startRouter } from "./router.js";
import { settings } from "./settings.js";
import { settingsButton, soundButton, viewSwitch } from "./settings_menu.js";
import { withPuzzle } from "./share.js";

const GAME_TABS = [
  ["", "Play", "flag"],
  ["make", "Make", "pencil"],
  ["glossary", "Glossary", "book"],
];
const SCIENCE_TABS = [
  ["phyre", "PHYRE", "flag"],
  ["iphyre", "I-PHYRE", "bulb"],
  ["watch", "Watch", "eye"],
  ["make", "Make", "pencil"],
  ...(api.local ? [] : [["study", "Studies", "people"]]),
  ["glossary", "Glossary", "book"],
];

/** A route to a page whose module is loaded on the first visit. */
const route = (pattern, file, builder) => ({
  pattern,
  build: async (parameters) =>
    (await import(`./pages/${file}.js`))[builder](await withPuzzle(parameters)),
});

const ROUTES = [
  route("", "home", "home"),
  route("phyre", "phyre_gallery", "phyreGallery"),
  route("phyre/:task", "phyre_play", "phyrePage"),
  route("phyre/template/:template", "phyre_template", "templatePage"),
  route("iphyre", "iphyre_gallery", "iphyreGallery"),
  route("iphyre/:game", "iphyre_play", "iphyrePage"),
  route("replay/phyre/:task", "replay", "phyreReplay"),
  route("replay/iphyre/:game", "replay", "iphyreReplay"),
  route("watch", "watch", "runsPage"),
  route("watch/:run", "watch", "runPage"),
  route("watch/:run/:subject", "watch", "subjectPage"),
  route("glossary", "glossary", "glossaryPage"),
  route("study", "studies", "studiesPage"),
  route("study/:study", "study", "studyPage"),
  route("study/:study/results", "studies", "resultsPage"),
  route("make", "puzzles", "puzzlesPage"),
  route("make/:puzzle", "editor", "editorPage"),
];

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const bar = /** @type {HTMLElement} */ (document.querySelector(".tabs"));

/** Where the user is, among the tabs of the current view. */
function showTabs(name) {
  const tabs = settings.science ? SCIENCE_TABS : GAME_TABS;
  const home = settings.science ? "phyre" : "";
  const own = tabs.some(([tab]) => tab === name) ? name : ["replay", "study"].includes(name) ? null : home;
  replace(
    bar,
    tabs.map(([tab, text, symbol]) =>
      h(
        "a",
        { href: pageLink(...(tab ? [tab] : [])), "aria-current": tab === own ? "page" : null },
        icon(symbol),
        text,
      ),
    ),
  );
}

function show({ title, element, focused = false }, name) {
  document.title = title ? `${title} · Topple` : "Topple";
  // A page inside another one, as in the documentation, has no navigation of its own.
  document.body.classList.toggle("focused", focused || window.top !== window);
  document.body.classList.toggle("playing", element.querySelector(".play, .editor") !== null);
  if (settings.inStudy !== focused) settings.enter(focused);
  showTabs(name);
  replace(main, element);
  scrollTo(0, 0);
  announce(title ?? "Topple");
}

const UNFINISHED =
  "Please finish it first, or leave it on its page. Until then, nothing is shown that could give a solution away.";

/** A message with a capital letter and a full stop. */
function sentence(text) {
  const end = /[.!?…]$/.test(text) ? "" : ".";
  return text.charAt(0).toUpperCase() + text.slice(1) + end;
}

function fail(error) {
  // The server tells a participant which study has to be finished first.
  const [study] = /#\/study\/[a-z0-9]{12}/.exec(error.message) ?? [];
  return {
    title: "Not found",
    element: h(
      "div",
      { class: "empty" },
      h("h1", {}, study ? "You are taking part in a study" : "That did not work"),
      h("p", { role: "alert" }, study ? UNFINISHED : sentence(error.message)),
      study
        ? h("a", { class: "button primary", href: study }, "Back to the study")
        : h("a", { class: "button", href: "#/" }, "Back to the puzzles"),
    ),
  };
}

// A canvas that was clicked needs no focus ring; one that was reached by keyboard does.
addEventListener("pointerdown", () => (document.documentElement.dataset.input = "pointer"), {
  capture: true,
});
addEventListener("keydown", () => (document.documentElement.dataset.input = "keys"), {
  capture: true,
});

document.getElementById("settings")?.append(viewSwitch(), soundButton(), settingsButton());
await startRouter(ROUTES, show, fail);
document.body.dataset.ready = "true";
