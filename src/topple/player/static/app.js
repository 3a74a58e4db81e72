// The layout around all pages: navigation, settings, and the current page.
import { api } from "./api.js";
import { announce, h, replace } from "./dom.js";
import { icon } from "./icons.js";
import { pageLink, startRouter } from "./router.js";
import { settingsButton } from "./settings_menu.js";

const TABS = [
  ["phyre", "PHYRE", "flag"],
  ["iphyre", "I-PHYRE", "bulb"],
  ["watch", "Watch", "eye"],
  ["make", "Make", "pencil"],
  ...(api.studies ? [["study", "Studies", "people"]] : []),
];

/** A route to a page whose module is loaded on the first visit. */
const route = (pattern, file, builder) => ({
  pattern,
  build: async (parameters) => (await import(`./pages/${file}.js`))[builder](parameters),
});

const ROUTES = [
  route("", "phyre_gallery", "home"),
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
  route("study", "studies", "studiesPage"),
  route("study/:study", "study", "studyPage"),
  route("study/:study/results", "studies", "resultsPage"),
  route("make", "puzzles", "puzzlesPage"),
  route("make/:puzzle", "editor", "editorPage"),
];

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const tabs = TABS.map(([name, text, symbol]) =>
  h("a", { href: pageLink(name) }, icon(symbol), text),
);

function show({ title, element, focused = false }, name) {
  document.title = title ? `${title} · Topple` : "Topple";
  document.body.classList.toggle("focused", focused);
  TABS.forEach(([own], i) => {
    const current = own === name || (own === "phyre" && name === "");
    if (current) tabs[i].setAttribute("aria-current", "page");
    else tabs[i].removeAttribute("aria-current");
  });
  replace(main, element);
  scrollTo(0, 0);
  announce(title ?? "Topple");
}

function fail(error) {
  return {
    title: "Not found",
    element: h(
      "div",
      { class: "empty" },
      h("h1", {}, "That did not work"),
      h("p", { role: "alert" }, error.message),
      h("a", { class: "button", href: "#/" }, "Back to the puzzles"),
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

replace(document.querySelector(".tabs"), tabs);
document.getElementById("settings")?.append(settingsButton());
await startRouter(ROUTES, show, fail);
document.body.dataset.ready = "true";
