// The frame around all pages: navigation, settings, and which page is shown.
import { announce, h, replace } from "./dom.js";
import { icon } from "./icons.js";
import { place, startRouter } from "./router.js";
import { settingsButton } from "./settings_menu.js";

const TABS = [
  ["phyre", "PHYRE", "flag"],
  ["iphyre", "I-PHYRE", "bulb"],
  ["watch", "Watch", "eye"],
  ["make", "Make", "pencil"],
  ["study", "Studies", "people"],
];

// Pages are loaded when they are first visited.
const page = (name, builder) => async (at) => (await import(`./pages/${name}.js`))[builder](at);

const ROUTES = [
  ["", page("phyre_gallery", "home")],
  ["phyre", page("phyre_gallery", "phyreGallery")],
  ["phyre/:task", page("phyre_play", "phyrePage")],
  ["phyre/template/:template", page("phyre_template", "templatePage")],
  ["iphyre", page("iphyre_gallery", "iphyreGallery")],
  ["iphyre/:game", page("iphyre_play", "iphyrePage")],
  ["replay/phyre/:task", page("replay", "phyreReplay")],
  ["replay/iphyre/:game", page("replay", "iphyreReplay")],
  ["watch", page("watch", "runsPage")],
  ["watch/:run", page("watch", "runPage")],
  ["watch/:run/:subject", page("watch", "subjectPage")],
  ["study", page("studies", "studiesPage")],
  ["study/:study", page("study", "studyPage")],
  ["study/:study/results", page("studies", "resultsPage")],
  ["make", page("puzzles", "puzzlesPage")],
  ["make/:puzzle", page("editor", "editorPage")],
];

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const tabs = TABS.map(([name, text, symbol]) => h("a", { href: place(name) }, icon(symbol), text));

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
      h("a", { class: "button", href: "#/" }, "To the puzzles"),
    ),
  };
}

// A stage that was clicked needs no ring around it; one that was reached by keys does.
addEventListener("pointerdown", () => (document.documentElement.dataset.input = "pointer"), { capture: true });
addEventListener("keydown", () => (document.documentElement.dataset.input = "keys"), { capture: true });

replace(document.querySelector(".tabs"), tabs);
document.getElementById("settings")?.append(settingsButton());
await startRouter(ROUTES, show, fail);
document.body.dataset.ready = "true";
