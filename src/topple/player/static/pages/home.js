// The first page: the path through both benchmarks, level by level; in the scientific view, PHYRE.
import { api } from "../api.js";
import { h, replace } from "../dom.js";
import { icon } from "../icons.js";
import {
  keyOf,
  LEVEL,
  loadPath,
  loadProgress,
  MOST_STARS,
  nextStop,
  starsOf,
  stopLink,
} from "../path.js";
import { LazyPictures } from "../pictures.js";
import { settings } from "../settings.js";
import { stars } from "../widgets.js";
import { heroShow } from "./hero.js";
import { phyreGallery } from "./phyre_gallery.js";

const WHAT = { phyre: "Place a ball", iphyre: "Remove blocks" };

export async function home() {
  if (settings.science) return phyreGallery();
  const [path, progress] = await Promise.all([loadPath(), loadProgress()]);
  const pictures = new LazyPictures();
  const show = heroShow();
  const starred = (stop) => starsOf(progress.get(keyOf(stop.benchmark, stop.id)));
  const next = nextStop(path, progress);
  const earned = path.reduce((sum, stop) => sum + starred(stop), 0);
  const levels = Array.from({ length: Math.ceil(path.length / LEVEL) }, (_, i) =>
    level(i, path.slice(i * LEVEL, (i + 1) * LEVEL), starred, next, pictures),
  );
  return {
    title: "",
    leave: () => {
      show.leave();
      pictures.close();
    },
    element: h("div", {}, hero(next, earned, path, show), levels),
  };
}

function hero(next, earned, path, show) {
  const fresh = earned === 0;
  return h(
    "section",
    { class: "hero" },
    h(
      "div",
      {},
      h("h1", {}, fresh ? "Think before it falls." : "Welcome back."),
      h(
        "p",
        {},
        fresh
          ? "Place a ball, let go, and see whether you understood the world. A hundred puzzles, " +
              "from easy to very hard."
          : `You have ${earned} of ${path.length * MOST_STARS} stars.`,
      ),
      h(
        "div",
        { class: "row" },
        next &&
          h(
            "a",
            { class: "button primary big", href: stopLink(next) },
            icon("play"),
            fresh ? "Play" : `Continue: ${next.name}`,
          ),
      ),
    ),
    show.element,
  );
}

function level(number, stops, starred, next, pictures) {
  const earned = stops.reduce((sum, stop) => sum + starred(stop), 0);
  return h(
    "section",
    { class: "level", "aria-label": `Level ${number + 1}` },
    h(
      "div",
      { class: "section" },
      h("h2", {}, `Level ${number + 1}`),
      h("p", { class: "tally" }, `${earned} of ${stops.length * MOST_STARS}`, icon("star")),
    ),
    h(
      "div",
      { class: "grid path" },
      stops.map((stop, i) =>
        tile(stop, number * LEVEL + i + 1, starred(stop), stop === next, pictures),
      ),
    ),
  );
}

function tile(stop, number, earned, isNext, pictures) {
  const { benchmark, id, name } = stop;
  return h(
    "a",
    { class: `tile ${isNext ? "next" : ""}`, href: stopLink(stop) },
    pictures.of(async (drawn) =>
      benchmark === "phyre"
        ? drawn.phyre((await api.get(`phyre/tasks/${id}`)).scene)
        : drawn.iphyre(await api.get(`iphyre/games/${id}`)),
    ),
    isNext && h("span", { class: "flag" }, "Next"),
    h(
      "span",
      { class: "text" },
      h("span", { class: "id" }, `${number} · ${WHAT[benchmark]}`),
      h("h3", {}, name),
      stars(earned),
    ),
  );
}
