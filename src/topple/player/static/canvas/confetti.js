// A short burst of confetti over a scene when a puzzle is solved.
import { h } from "../dom.js";
import { settings } from "../settings.js";
import { palette } from "./palette.js";

const PIECES = 70;
const SECONDS = 1.6;

/** @param {HTMLElement} box the element around the canvas */
export function celebrate(box) {
  if (settings.reducedMotion) return;
  const size = box.clientWidth;
  const canvas = h("canvas", {
    class: "confetti",
    width: size,
    height: size,
    "aria-hidden": "true",
  });
  const ctx = canvas.getContext("2d");
  const { red, green, blue, purple } = palette().phyre;
  const pieces = Array.from({ length: PIECES }, (_, i) => ({
    angle: (i / PIECES) * 2 * Math.PI,
    speed: size * (0.25 + 0.5 * Math.random()),
    spin: 4 + 8 * Math.random(),
    colour: [red, green, blue, purple][i % 4],
  }));
  box.append(canvas);
  const start = performance.now();

  function draw(now) {
    const t = (now - start) / 1000;
    if (t > SECONDS) return canvas.remove();
    ctx.clearRect(0, 0, size, size);
    ctx.globalAlpha = Math.min(1, 2 * (1 - t / SECONDS));
    for (const { angle, speed, spin, colour } of pieces) {
      const reach = speed * (1 - Math.exp(-2.5 * t));
      ctx.save();
      ctx.translate(
        size / 2 + reach * Math.cos(angle),
        size * 0.35 + reach * Math.sin(angle) + size * 0.28 * t * t,
      );
      ctx.rotate(spin * t);
      ctx.fillStyle = colour;
      ctx.fillRect(-5, -3, 10, 6);
      ctx.restore();
    }
    requestAnimationFrame(draw);
  }
  requestAnimationFrame(draw);
}
