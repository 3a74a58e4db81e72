// Pictures of the bodies that the tools add.
import { svg } from "../dom.js";

const capsule = (kind) => svg("line", { class: `stroke-${kind}`, x1: 7, y1: 19, x2: 33, y2: 11 });
const path = (d) => svg("path", { class: "fill-ink", d });

const PICTURES = {
  bar: () => path("M4 13h32v4H4z"),
  jar: () => path("M9 5h4l3 17h8l3-17h4l-4 21H13z"),
  standing_sticks: () => path("M14 4l3-1 9 23-3 1zM26 4l-3-1-9 23 3 1z"),
  box: () => path("M12 7h16v16H12z"),
  wedge: () => path("M8 24V8l24 16z"),
  gray: () => capsule("gray"),
  black: () => capsule("black"),
  blue: () => capsule("blue"),
  stick: () => svg("path", { class: "stroke-joint", d: "M7 21L33 9" }),
  spring: () => svg("path", { class: "stroke-joint", d: "M5 17l4-6 5 9 5-9 5 9 5-9 4 6" }),
  ball: () => svg("circle", { class: "fill-ink", cx: 20, cy: 15, r: 9 }),
};

/** @param {string} tool */
export function toolPicture(tool) {
  return svg("svg", { viewBox: "0 0 40 30", "aria-hidden": "true" }, PICTURES[tool]());
}
