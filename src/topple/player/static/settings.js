// The user's display settings, which are stored in the browser and never sent anywhere.

const KEY = "topple.settings";

/**
 * @typedef {object} Choices
 * @property {"auto" | "light" | "dark"} theme
 * @property {"paper" | "safe"} colours
 * @property {number} speed of playback
 * @property {"game" | "science"} view whether scores, variants and numbers are shown
 * @property {boolean} sound in the game
 * @property {boolean} studySound in studies, where it is off at first
 */

/** @type {Choices} */
const DEFAULTS = {
  theme: "auto",
  colours: "paper",
  speed: 1,
  view: "game",
  sound: true,
  studySound: false,
};

class Settings extends EventTarget {
  constructor() {
    super();
    this.choices = { ...DEFAULTS, ...read() };
    this.darkQuery = matchMedia("(prefers-color-scheme: dark)");
    this.motionQuery = matchMedia("(prefers-reduced-motion: reduce)");
    this.darkQuery.addEventListener("change", () => this.#changed());
  }

  inStudy = false; // whether the page of a study is shown

  /** Whether the page is dark now. */
  get dark() {
    const { theme } = this.choices;
    return theme === "auto" ? this.darkQuery.matches : theme === "dark";
  }

  /** Whether the user asked the system for reduced motion. */
  get reducedMotion() {
    return this.motionQuery.matches;
  }

  /** Whether scores, variants and numbers are shown. */
  get science() {
    return this.choices.view === "science";
  }

  /** Whether sounds are played here. */
  get sound() {
    return this.inStudy ? this.choices.studySound : this.choices.sound;
  }

  set sound(on) {
    this.set(this.inStudy ? { studySound: on } : { sound: on });
  }

  /** Tell whether the page of a study is shown. */
  enter(study) {
    this.inStudy = study;
    this.#changed();
  }

  /** @param {Partial<Choices>} choices */
  set(choices) {
    Object.assign(this.choices, choices);
    try {
      localStorage.setItem(KEY, JSON.stringify(this.choices));
    } catch {
      // Storage may be blocked; the choice then lasts until the page is closed.
    }
    const { theme } = this.choices;
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    this.#changed();
  }

  #changed() {
    document.documentElement.dataset.view = this.choices.view;
    this.dispatchEvent(new Event("change"));
  }
}

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    return {};
  }
}

export const settings = new Settings();
document.documentElement.dataset.view = settings.choices.view;
