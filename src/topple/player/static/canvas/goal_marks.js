// Marks over a PHYRE scene: what has to touch, for how long it has, and earlier tries.
import { paintPaths } from "./paths.js";
import { paintBody, startPose, trace } from "./phyre_scene.js";
import { PHYRE_SIZE } from "./scene_view.js";

const BREAK_SECONDS = 0.5; // how long a broken ring is seen
const RING = 17; // px, its radius
const INSET = 22; // px from the edges, so that all of it is seen

/**
 * The point of a body that is nearest to a point of the scene.
 * @param {import("./phyre_scene.js").Body} body
 * @param {import("./phyre_scene.js").Pose} pose
 * @param {number[]} to
 * @returns {[number, number]}
 */
function nearest(body, [x, y, angle], [tx, ty]) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  let best = /** @type {[number, number]} */ ([x, y]);
  let least = Infinity;
  const offer = (px, py) => {
    const distance = Math.hypot(px - tx, py - ty);
    if (distance < least) [least, best] = [distance, [px, py]];
  };
  for (const { circle, polygon } of body.shapes) {
    if (circle) {
      const far = Math.hypot(tx - x, ty - y) || 1;
      offer(x + ((tx - x) * circle) / far, y + ((ty - y) * circle) / far);
      continue;
    }
    const corners = polygon.map(([u, v]) => [x + cos * u - sin * v, y + sin * u + cos * v]);
    corners.forEach(([bx, by], i) => {
      const [ax, ay] = corners.at(i - 1);
      const [dx, dy] = [bx - ax, by - ay];
      const along = ((tx - ax) * dx + (ty - ay) * dy) / (dx * dx + dy * dy || 1);
      const t = Math.min(Math.max(along, 0), 1);
      offer(ax + t * dx, ay + t * dy);
    });
  }
  return best;
}

/** The two points of the goal bodies that face each other. */
function facing(bodies, [first, second], poseOf) {
  const [one, other] = [first, second].map((index) => bodies[index]);
  const [pose, otherPose] = [poseOf(first) ?? startPose(one), poseOf(second) ?? startPose(other)];
  // A few turns of nearest points come close enough for a drawing.
  let from = nearest(one, pose, [otherPose[0], otherPose[1]]);
  let to = nearest(other, otherPose, from);
  for (let turn = 0; turn < 4; turn++) {
    from = nearest(one, pose, to);
    to = nearest(other, otherPose, from);
  }
  return [from, to];
}

/** Mark the two bodies that have to touch by a glow, and join them by a dotted line. */
export function paintGoal(ctx, bodies, goal, colours, unit) {
  const { over } = colours;
  const [from, to] = facing(bodies, goal, () => undefined);
  ctx.save();
  ctx.strokeStyle = over.goal;
  ctx.lineJoin = "round";
  for (const body of goal.map((index) => bodies[index])) {
    ctx.save();
    trace(ctx, body, startPose(body));
    ctx.globalAlpha = 0.3;
    ctx.lineWidth = 14 * unit;
    ctx.stroke();
    ctx.globalAlpha = 1;
    ctx.lineWidth = 5 * unit;
    ctx.stroke();
    ctx.restore();
    paintBody(ctx, body, startPose(body), colours);
  }
  ctx.setLineDash([0.1, 8 * unit]);
  ctx.lineCap = "round";
  ctx.lineWidth = 4 * unit;
  ctx.beginPath();
  ctx.moveTo(from[0], from[1]);
  ctx.lineTo(to[0], to[1]);
  ctx.stroke();
  ctx.restore();
}

/**
 * The ring that fills where the goal bodies touch, and breaks when they part.
 * @param {CanvasRenderingContext2D} ctx
 * @param {import("./phyre_scene.js").Body[]} bodies
 * @param {[number, number]} goal
 * @param {(index: number) => import("./phyre_scene.js").Pose | undefined} poseOf
 * @param {{ share: number, since: number | null }} state how full it is; seconds since it broke
 * @param {any} colours
 * @param {number} unit scene px per screen px
 */
export function paintRing(ctx, bodies, goal, poseOf, { share, since }, colours, unit) {
  const broken = since !== null && since < BREAK_SECONDS;
  if (share <= 0 && !broken) return;
  const [, at] = facing(bodies, goal, poseOf);
  const [x, y] = at.map((value) => Math.min(Math.max(value, INSET), PHYRE_SIZE - INSET));
  const arc = (radius, from, to) => {
    ctx.beginPath();
    ctx.arc(x, y, radius, Math.PI / 2 - from, Math.PI / 2 - to, true);
    ctx.stroke();
  };
  ctx.save();
  ctx.lineCap = "round";
  if (share > 0) {
    ctx.lineWidth = 9 * unit;
    ctx.strokeStyle = colours.ringTrack;
    arc(RING, 0, 2 * Math.PI);
    ctx.lineWidth = 7 * unit;
    ctx.strokeStyle = colours.ring;
    arc(RING, 0, Math.max(0.02, Math.min(share, 1)) * 2 * Math.PI);
  } else {
    // The pieces of the ring fly apart.
    const t = since / BREAK_SECONDS;
    ctx.globalAlpha = 1 - t;
    ctx.strokeStyle = colours.lost;
    ctx.lineWidth = 5 * unit;
    for (let i = 0; i < 6; i++) {
      const angle = (i / 6) * 2 * Math.PI;
      arc(RING + 14 * t, angle, angle + 0.7 * (1 - t));
    }
  }
  ctx.restore();
}

/** The balls of an earlier try, with its number. */
export function paintGhost(ctx, { balls, number, solved }, colours, unit) {
  ctx.save();
  ctx.setLineDash([4 * unit, 3 * unit]);
  ctx.lineWidth = 1.5 * unit;
  ctx.strokeStyle = solved ? colours.ring : colours.ghost;
  ctx.fillStyle = colours.ghost;
  for (const { x, y, r } of balls) {
    ctx.globalAlpha = 0.13;
    ctx.beginPath();
    ctx.arc(x, y, r, 0, 2 * Math.PI);
    ctx.fill();
    ctx.globalAlpha = 0.75;
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
  ctx.setLineDash([]);
  const [{ x, y }] = balls;
  label(ctx, x, y, String(number), colours, unit);
  ctx.restore();
}

/**
 * An attempt as somebody imagined it: where its balls and the goal bodies go, and where they are now.
 * @param {CanvasRenderingContext2D} ctx
 * @param {{ replay: import("../play/replay.js").Replay, solved: boolean, paths: Map<number, number[][]> }} ghost
 * @param {import("./phyre_scene.js").Body[]} bodies of the scene, with the balls of the ghost
 * @param {number} step
 * @param {any} colours
 * @param {number} unit scene px per screen px
 */
export function paintImagined(ctx, { replay, solved, paths }, bodies, step, colours, unit) {
  const poseOf = replay.at(step);
  const line = solved ? colours.over.ring : colours.over.ghost;
  for (const [index, path] of paths) {
    const body = bodies[index];
    paintPaths(ctx, [path], line, unit, 0.4);
    ctx.save();
    trace(ctx, body, poseOf(index) ?? startPose(body));
    ctx.globalAlpha = 0.16;
    ctx.fillStyle = colours.phyre[body.color ?? "black"];
    ctx.fill();
    ctx.globalAlpha = 0.7;
    ctx.setLineDash([4 * unit, 3 * unit]);
    ctx.lineWidth = 1.5 * unit;
    ctx.strokeStyle = line;
    ctx.stroke();
    ctx.restore();
  }
}

function label(ctx, x, y, text, colours, unit) {
  ctx.translate(x, y);
  ctx.scale(unit, -unit); // letters stand upright though y points up
  ctx.fillStyle = colours.badge;
  ctx.beginPath();
  ctx.arc(0, 0, 10, 0, 2 * Math.PI);
  ctx.fill();
  ctx.font = "700 11px system-ui, sans-serif";
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillStyle = colours.onBadge;
  ctx.fillText(text, 0, 0.5);
}

/** The region of a hint, or the body that it is about. */
export function paintHint(ctx, { body, regions }, bodies, colours, unit) {
  ctx.save();
  ctx.strokeStyle = colours.hint;
  ctx.lineWidth = 3 * unit;
  if (body !== null && body !== undefined) {
    ctx.save();
    trace(ctx, bodies[body], startPose(bodies[body]));
    ctx.shadowColor = colours.hint;
    ctx.shadowBlur = 16;
    ctx.stroke();
    ctx.stroke();
    ctx.restore();
  }
  ctx.setLineDash([6 * unit, 5 * unit]);
  for (const [x, y, radius] of regions ?? []) {
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
    ctx.globalAlpha = 0.14;
    ctx.fillStyle = colours.hint;
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.stroke();
  }
  ctx.restore();
}
