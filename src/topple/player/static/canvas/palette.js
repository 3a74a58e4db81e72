// Scene colours: those of the two papers, and a set that colour-blind people can distinguish.
import { settings } from "../settings.js";

/**
 * @typedef {object} Palette
 * @property {string} ground
 * @property {Record<string, string>} phyre by the names of PHYRE's colour codes
 * @property {Record<string, string>} iphyre by what a body is
 * @property {boolean} marks whether goal bodies carry a mark besides their colour
 * @property {Record<string, string>} over what is drawn over a scene: goal marks, rings, ghosts
 * @property {Record<string, string>} words for PHYRE's colours where they look different
 */

const PAPER = {
  phyre: {
    red: "#f34f46",
    green: "#6bcebb",
    blue: "#1877f2",
    purple: "#4b4aa4",
    gray: "#b9cad2",
    black: "#000000",
    white: "#ffffff",
  },
  iphyre: {
    ball: "#ff0000",
    spoke: "#a00000",
    gray: "#a4a4a4",
    black: "#000000",
    blue: "#3498db",
    joint: "#8e44ad",
  },
  marks: false,
  words: {},
};

// After Okabe and Ito; lightness differs as well as hue.
const SAFE = {
  phyre: {
    red: "#e69f00",
    green: "#56b4e9",
    blue: "#0072b2",
    purple: "#aa4499",
    gray: "#c3c8cc",
    black: "#000000",
    white: "#ffffff",
  },
  iphyre: {
    ball: "#d55e00",
    spoke: "#7d3700",
    gray: "#b4b8bb",
    black: "#000000",
    blue: "#0072b2",
    joint: "#aa4499",
  },
  marks: true,
  words: { red: "orange", green: "light blue", blue: "dark blue", purple: "plum" },
};

// On a dark page the ground and fixed bodies swap colours; moving bodies keep theirs.
const DARK = { ground: "#12161b", fixed: "#e4e8ec", purple: "#8a88e0", gray: "#71808c" };

// What is drawn over a scene.
const OVER = {
  goal: "#f2a100",
  ring: "#12a583",
  ringTrack: "rgb(120 130 140 / 35%)",
  lost: "#e0443c",
  hint: "#d63bb0",
  ghost: "#6b7680",
  badge: "#59636d",
  onBadge: "#ffffff",
};

/**
 * The palette that the settings ask for.
 * @param {boolean} [light] white ground even on a dark page, as all participants see the same
 * @returns {Palette}
 */
export function palette(light = false) {
  const base = settings.choices.colours === "safe" ? SAFE : PAPER;
  if (light || !settings.dark) return { ground: "#ffffff", over: OVER, ...base };
  return {
    ground: DARK.ground,
    over: { ...OVER, ghost: "#9aa6b1" },
    phyre: {
      ...base.phyre,
      black: DARK.fixed,
      gray: DARK.gray,
      purple: base === PAPER ? DARK.purple : base.phyre.purple,
      white: DARK.ground,
    },
    iphyre: { ...base.iphyre, black: DARK.fixed },
    marks: base.marks,
    words: base.words,
  };
}
