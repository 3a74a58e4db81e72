// Draws I-PHYRE games: blocks are capsules, balls show a spoke, y down.
import { startOf } from "./iphyre_geometry.js";
import { palette } from "./palette.js";
import { IPHYRE_SIZE } from "./scene_view.js";

/** @typedef {import("./iphyre_geometry.js").Geometry} Geometry */
/** @typedef {import("./iphyre_geometry.js").Pose} Pose */

const COILS = 8;

/**
 * Paint a state of a game.
 * @param {CanvasRenderingContext2D} ctx
 * @param {Geometry} game
 * @param {object} [state]
 * @param {(body: number) => Pose | undefined} [state.poseOf] the pose of a body; by default that at the start
 * @param {(body: number) => boolean} [state.present]
 * @param {number} [state.hover] the block that is pointed at
 * @param {boolean} [state.light]
 * @param {(body: number) => Pose | undefined} [state.ghost] the balls of an earlier play
 * @param {number} [state.hint] a block that a hint is about
 */
export function paintGame(ctx, game, state = {}) {
  const { poseOf = () => undefined, present = () => true, hover = -1, light, ghost, hint } = state;
  const { ground, iphyre: colours, over } = palette(light);
  const poses = game.bodies.map((body, i) => poseOf(i) ?? startOf(body));
  ctx.fillStyle = ground;
  ctx.fillRect(0, 0, IPHYRE_SIZE, IPHYRE_SIZE);
  ctx.lineCap = "round";
  ctx.lineJoin = "round";
  game.bodies.forEach((body, i) => {
    if (i === hint) paintBlock(ctx, body, poses[i], { [body.kind]: over.hint }, false, 14);
    if (ghost && body.kind === "ball")
      paintGhost(ctx, ghost(i) ?? startOf(body), body.radius, over);
    if (!present(i)) return;
    if (body.kind === "ball") paintBall(ctx, poses[i], body.radius, colours);
    else paintBlock(ctx, body, poses[i], colours, i === hover);
  });
  const joints = [
    ...game.sticks.map((pair) => ({ pair, coils: 0 })),
    ...game.springs.map((pair) => ({ pair, coils: COILS })),
  ];
  for (const {
    pair: [a, b],
    coils,
  } of joints) {
    if (present(a) && present(b)) line(ctx, zigzag(poses[a], poses[b], coils), 3, colours.joint);
  }
}

function paintGhost(ctx, [x, y], radius, over) {
  ctx.globalAlpha = 0.55;
  ctx.setLineDash([6, 5]);
  ctx.lineWidth = 2;
  ctx.strokeStyle = over.ghost;
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
}

function paintBlock(ctx, body, [x, y, angle], colours, hover, more = 0) {
  const { kind, radius } = body;
  const [x1, y1, x2, y2] = body.ends;
  const [dx, dy, cos, sin] = [(x2 - x1) / 2, (y2 - y1) / 2, Math.cos(angle), Math.sin(angle)];
  const [hx, hy] = [dx * cos - dy * sin, dx * sin + dy * cos];
  const ends = [
    [x - hx, y - hy],
    [x + hx, y + hy],
  ];
  if (hover) line(ctx, ends, 2 * radius + 8, colours.ball);
  line(ctx, ends, 2 * radius + more, colours[kind]);
}

function paintBall(ctx, [x, y, angle], radius, colours) {
  ctx.fillStyle = colours.ball;
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.fill();
  const reach = radius * 0.92;
  const tip = [x + reach * Math.cos(angle), y + reach * Math.sin(angle)];
  line(ctx, [[x, y], tip], Math.max(1, radius / 10), colours.spoke);
}

function line(ctx, points, width, colour) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.beginPath();
  for (const [x, y] of points) ctx.lineTo(x, y);
  ctx.stroke();
}

function zigzag([ax, ay], [bx, by], coils) {
  const [dx, dy] = [bx - ax, by - ay];
  const length = Math.hypot(dx, dy) || 1;
  const points = [[ax, ay]];
  for (let k = 0; k < coils; k++) {
    const along = (k + 0.5) / coils;
    const side = (k % 2 ? 8 : -8) / length;
    points.push([ax + dx * along - dy * side, ay + dy * along + dx * side]);
  }
  points.push([bx, by]);
  return points;
}
