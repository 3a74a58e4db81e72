// The buttons at the end of the header: game or science, sound, theme and scene colours, and the data
// of a page without a server.
import { api } from "./api.js";
import { palette } from "./canvas/palette.js";
import { h, replace } from "./dom.js";
import { icon } from "./icons.js";
import { settings } from "./settings.js";
import { button, confirm, download, reportErrors, segments } from "./widgets.js";

const THEMES = [
  ["auto", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
];
const COLOURS = [
  ["paper", "Original"],
  ["safe", "Colour-blind"],
];

const VIEWS = [
  ["game", "Game"],
  ["science", "Science"],
];

/** The switch between the game and the scientific view. */
export function viewSwitch() {
  return segments("View", VIEWS, settings.choices.view, (view) => {
    settings.set({ view });
    dispatchEvent(new Event("hashchange")); // the page is built again for the other view
  });
}

/** The button that turns sounds on and off. */
export function soundButton() {
  const toggle = h("button", {
    class: "round quiet",
    onclick: () => (settings.sound = !settings.sound),
  });
  const show = () => {
    const label = settings.sound ? "Turn sounds off" : "Turn sounds on";
    toggle.setAttribute("aria-label", label);
    toggle.title = label;
    replace(toggle, icon(settings.sound ? "sound" : "silence"));
  };
  settings.addEventListener("change", show);
  show();
  return toggle;
}

export function settingsButton() {
  const about = h("p", { class: "small muted about" });
  const menu = h(
    "div",
    { class: "menu", id: "settings-menu", hidden: true },
    h(
      "div",
      {},
      h("h3", {}, "Theme"),
      segments("Theme", THEMES, settings.choices.theme, (theme) => settings.set({ theme })),
    ),
    h(
      "div",
      {},
      h("h3", {}, "Scene colours"),
      segments("Scene colours", COLOURS, settings.choices.colours, (colours) =>
        settings.set({ colours }),
      ),
      swatches(),
    ),
    api.local && dataSection(),
    about,
  );
  const toggle = h(
    "button",
    {
      class: "round quiet",
      "aria-label": "Settings",
      title: "Settings",
      "aria-expanded": "false",
      "aria-controls": "settings-menu",
      onclick: () => open(menu.hidden),
    },
    icon("settings"),
  );
  const open = (yes) => {
    menu.hidden = !yes;
    toggle.setAttribute("aria-expanded", String(yes));
    if (yes && !about.textContent) tellVersion(about);
  };
  const box = h("div", {}, toggle, menu);
  addEventListener("pointerdown", (event) => {
    if (!box.contains(/** @type {Node} */ (event.target))) open(false);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !menu.hidden) {
      open(false);
      toggle.focus();
    }
  });
  return box;
}

/** Say which version this is, and whose outcomes it has. */
async function tellVersion(line) {
  const { version, engines } = await api.get("health").catch(() => ({}));
  if (version)
    line.textContent = `Topple ${version} · engine hashes: PHYRE ${engines.phyre}, I-PHYRE ${engines.iphyre}`;
}

/** What a page without a server keeps in this browser, to take along or to delete. */
function dataSection() {
  const erase = {
    title: "Delete everything?",
    text: "Your attempts, your progress and your puzzles are only in this browser. This cannot be undone.",
    yes: "Delete",
  };
  return h(
    "div",
    { class: "stack" },
    h("a", { class: "button", href: "docs/index.html" }, "Documentation"),
    h("h3", {}, "Your data"),
    button("Export my attempts", { onclick: () => reportErrors(exportAttempts) }),
    button("Delete everything", {
      kind: "quiet danger",
      onclick: async () => {
        if (!(await confirm(erase))) return;
        await reportErrors(() => api.delete("me"));
        location.reload();
      },
    }),
  );
}

async function exportAttempts() {
  download("topple-attempts.json", JSON.stringify(await api.get("me/attempts"), null, 1));
}

function swatches() {
  const names = ["red", "green", "blue", "purple", "gray", "black"];
  const canvas = h("canvas", { width: 6 * 40, height: 30, "aria-hidden": "true" });
  const paint = () => {
    const ctx = canvas.getContext("2d");
    const { phyre } = palette();
    names.forEach((name, i) => {
      ctx.fillStyle = phyre[name];
      ctx.fillRect(i * 40, 0, 40, 30);
    });
  };
  settings.addEventListener("change", paint);
  paint();
  return h("div", { class: "swatches" }, canvas);
}
