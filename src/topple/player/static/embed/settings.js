// In place of ../settings.js: the settings of a page that is not ours, which are left alone.

class Settings extends EventTarget {
  choices = { colours: "paper" };
  dark = false;

  get reducedMotion() {
    return matchMedia("(prefers-reduced-motion: reduce)").matches;
  }
}

export const settings = new Settings();
