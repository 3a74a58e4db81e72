// The way of a body through a recording, as a line over the scene.

const EVERY = 3; // steps between two points, or more in recordings with fewer frames

/** The points of a body's way. @param {import("../play/replay.js").Replay} replay */
export function pathOf(replay, body) {
  const points = [];
  for (let step = 0; step <= replay.last; step += Math.max(EVERY, replay.stride)) {
    const pose = replay.at(step)(body);
    if (pose) points.push([pose[0], pose[1]]);
  }
  return points;
}

/**
 * Draw ways as thin lines.
 * @param {CanvasRenderingContext2D} ctx in scene coordinates
 * @param {number[][][]} paths
 * @param {string} colour
 * @param {number} unit scene px per screen px
 */
export function paintPaths(ctx, paths, colour, unit, strength = 0.5) {
  ctx.save();
  ctx.globalAlpha = strength;
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2 * unit;
  ctx.lineJoin = "round";
  ctx.lineCap = "round";
  for (const path of paths) {
    ctx.beginPath();
    for (const [x, y] of path) ctx.lineTo(x, y);
    ctx.stroke();
  }
  ctx.restore();
}
