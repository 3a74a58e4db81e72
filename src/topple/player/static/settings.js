// The user's display settings, which are stored in the browser and never sent anywhere.

const KEY = "topple.settings";

/** @typedef {{ theme: "auto" | "light" | "dark", colours: "paper" | "safe", speed: number }} Choices */

/** @type {Choices} */
const DEFAULTS = { theme: "auto", colours: "paper", speed: 1 };

class Settings extends EventTarget {
  constructor() {
    super();
    this.choices = { ...DEFAULTS, ...read() };
    this.darkQuery = matchMedia("(prefers-color-scheme: dark)");
    this.motionQuery = matchMedia("(prefers-reduced-motion: reduce)");
    this.darkQuery.addEventListener("change", () => this.#changed());
  }

  /** Whether the page is dark now. */
  get dark() {
    const { theme } = this.choices;
    return theme === "auto" ? this.darkQuery.matches : theme === "dark";
  }

  /** Whether the user asked the system for reduced motion. */
  get reducedMotion() {
    return this.motionQuery.matches;
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
