// Parts of the two play areas: the frame of a scene, legends, links and key lists.
import { h, replace } from "../dom.js";
import { palette } from "../canvas/palette.js";
import { icon } from "../icons.js";
import { onwards, starsOf, stopLink } from "../path.js";
import { shareLink } from "../share.js";
import { settings } from "../settings.js";
import { play as sound } from "../sound.js";
import { button, copy, download, reportErrors, stars } from "../widgets.js";

/** The frame around a scene, with overlays for a result and for a button. */
export class SceneFrame {
  /** @param {import("../canvas/scene_view.js").SceneView} view */
  constructor(view) {
    this.#over = h("div");
    this.element = h("div", { class: "scene-frame" }, view.canvas, this.#over);
  }

  #over;

  /** Bring the scene into view: something happens there. */
  reveal() {
    this.element.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} text @param {string} kind "good", "warm" or none */
  verdict(text, kind = "") {
    replace(this.#over, h("div", { class: `verdict ${kind}`, role: "status" }, text));
  }

  /** Show stars below the result. */
  stars(row) {
    this.#over.append(h("div", { class: "star-row" }, row));
  }

  /** Offer a link at the bottom of the scene, beside the result. */
  offer(link) {
    if (this.#over.querySelector(".verdict")) this.#over.append(h("div", { class: "cover narrow-only" }, link));
  }

  cover(...children) {
    replace(this.#over, h("div", { class: "cover" }, children));
  }

  clear() {
    replace(this.#over);
  }
}

/** What a success in free play leads to: stars, and the next puzzle as the main button. */
export class Success {
  /**
   * @param {"phyre" | "iphyre"} benchmark
   * @param {string} subject
   * @param {boolean} alone whether the puzzle is not on the path
   */
  constructor(benchmark, subject, alone) {
    this.benchmark = benchmark;
    this.subject = subject;
    this.alone = alone;
    this.next = h("div", { hidden: true });
  }

  hide() {
    this.next.hidden = true;
  }

  /** @param {SceneFrame} box @param {any} done the player's progress with this puzzle */
  async show(box, done) {
    if (this.alone) return;
    const earned = starsOf(done);
    box.stars(stars(earned, "earned"));
    for (let i = 0; i < earned; i++) setTimeout(() => sound("star"), 500 + 180 * i);
    const { next } = await onwards(this.benchmark, this.subject);
    const link = (kind) =>
      h(
        "a",
        { class: `button primary ${kind}`, href: next ? stopLink(next) : "#/" },
        next ? `Next: ${next.name}` : "All solved: back to the path",
        icon("next"),
      );
    replace(this.next, link("big wide"));
    this.next.hidden = false;
    box.offer(link(""));
  }
}

/** The description of a task, with each colour word marked in its colour. */
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
    red: "placed by you",
    green: "must touch the goal",
    blue: "the goal",
    purple: "the goal",
    gray: "movable",
    black: "fixed",
  },
  iphyre: {
    ball: "must get out",
    gray: "can be removed",
    blue: "movable",
    black: "fixed",
    joint: "stick or spring",
  },
};

/**
 * The meaning of the colours of a scene.
 * @param {"phyre" | "iphyre"} benchmark
 * @param {Set<string>} shown the colours that occur
 * @param {boolean} light
 */
export function legend(benchmark, shown, light) {
  const list = h("p", { class: "legend" });
  const write = () => {
    const colours = palette(light)[benchmark];
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

/** Call back when the settings change, as long as an element is on the page. */
function whileShown(element, callback) {
  const listen = () => {
    if (element.isConnected) callback();
    else settings.removeEventListener("change", listen);
  };
  settings.addEventListener("change", listen);
}

/** The buttons below a replay: copy a link to it, or download a film of it. */
export function shareRow(hash, films) {
  return h(
    "div",
    { class: "row" },
    button("Copy link", {
      icon: "link",
      kind: "quiet",
      onclick: async () => copy(await shareLink(hash)),
    }),
    films.map(filmButton),
  );
}

/** A link to a film, or a button that makes it. */
function filmButton({ name, href, file, make }) {
  if (href) return h("a", { class: "button quiet", href, download: "" }, name);
  const progress = (share) => (made.textContent = `${name} ${Math.round(100 * share)} %`);
  const made = button(name, {
    kind: "quiet",
    onclick: () =>
      reportErrors(async () => {
        try {
          download(file, await make(progress));
        } finally {
          made.textContent = name;
        }
      }, made),
  });
  return made;
}

/**
 * A collapsed list of keys and what they do.
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
