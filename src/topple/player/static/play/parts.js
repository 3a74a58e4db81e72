// Parts of the two play pages: the box around a stage, verdicts, sharing.
import { h, replace } from "../dom.js";
import { palette } from "../canvas/palette.js";
import { here } from "../router.js";
import { settings } from "../settings.js";
import { button, copy } from "../widgets.js";

/** A stage with room for a verdict and a cover over it. */
export class StageBox {
  /** @param {import("../canvas/stage.js").Stage} stage */
  constructor(stage) {
    this.#over = h("div");
    this.element = h("div", { class: "stage-box" }, stage.canvas, this.#over);
  }

  #over;

  /** @param {string} text @param {string} kind "good", "warm" or none */
  verdict(text, kind = "") {
    replace(this.#over, h("div", { class: `verdict ${kind}`, role: "status" }, text));
  }

  cover(...children) {
    replace(this.#over, h("div", { class: "cover" }, children));
  }

  clear() {
    replace(this.#over);
  }
}

/** "Make sure the green ball touches ..." with each colour shown beside its word. */
export function goalSentence(text) {
  const line = h("p", { class: "goal" });
  const write = () => {
    const { phyre, words } = palette();
    const parts = text.split(/\b(green|blue|purple)\b/);
    replace(
      line,
      parts.map((part, i) => (i % 2 ? marked(words[part] ?? part, phyre[part]) : part)),
    );
  };
  write();
  whileShown(line, write);
  return line;
}

const MEANINGS = {
  phyre: {
    red: "yours",
    green: "has to touch",
    blue: "this one",
    purple: "this one",
    gray: "loose",
    black: "fixed",
  },
  iphyre: {
    ball: "has to get out",
    gray: "can be removed",
    blue: "loose",
    black: "fixed",
    joint: "stick or spring",
  },
};

/**
 * What the colours of a scene mean.
 * @param {"phyre" | "iphyre"} benchmark
 * @param {Set<string>} shown the colours there are
 * @param {boolean} daylight
 */
export function legend(benchmark, shown, daylight) {
  const list = h("p", { class: "legend" });
  const write = () => {
    const colours = palette(daylight)[benchmark];
    const entries = Object.entries(MEANINGS[benchmark]).filter(([name]) => shown.has(name));
    replace(
      list,
      entries.map(([name, text]) => {
        const dot = h("i");
        dot.style.background = colours[name];
        return h("span", {}, dot, text);
      }),
    );
  };
  write();
  whileShown(list, write);
  return list;
}

function marked(word, colour) {
  const mark = h("b", {}, word);
  mark.style.setProperty("--mark", colour);
  return mark;
}

/** Call back when settings change, for as long as an element is on the page. */
function whileShown(element, callback) {
  const listen = () => {
    if (element.isConnected) callback();
    else settings.removeEventListener("change", listen);
  };
  settings.addEventListener("change", listen);
}

/** What can be done with a replay: a link to it, and a film of it. */
export function shareRow(hash, films) {
  return h(
    "div",
    { class: "row" },
    button("Copy link", { icon: "link", kind: "quiet", onclick: () => copy(here(hash)) }),
    h("a", { class: "button quiet", href: films.gif, download: "" }, "GIF"),
    h("a", { class: "button quiet", href: films.mp4, download: "" }, "MP4"),
  );
}

/** The addresses of an attempt's films. */
export function films(benchmark, subject, query) {
  const address = (ending) =>
    `api/replays/${benchmark}/${encodeURIComponent(subject)}/film.${ending}?${new URLSearchParams(query)}`;
  return { gif: address("gif"), mp4: address("mp4") };
}

/**
 * What keys do, folded away.
 * @param {any[][]} rows the names of some keys, and what they do
 */
export function keyList(rows) {
  return h(
    "details",
    { class: "small" },
    h("summary", {}, "Keys"),
    h(
      "div",
      { class: "stack" },
      rows.map(([names, text]) =>
        h(
          "div",
          {},
          names.map((name) => [h("kbd", {}, name), " "]),
          text,
        ),
      ),
    ),
  );
}
