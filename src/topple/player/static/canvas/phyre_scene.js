// Draws PHYRE scenes: balls, bars, jars and sticks, y up.
import { palette } from "./palette.js";
import { PHYRE_SIZE } from "./scene_view.js";

/**
 * @typedef {{ circle?: number, polygon?: number[][] }} Shape one of the two is set
 * @typedef {object} Body
 * @property {Shape[]} shapes
 * @property {boolean} dynamic
 * @property {number[]} position
 * @property {number} [angle]
 * @property {string} [color]
 * @property {string} [kind]
 * @property {number} [diameter]
 * @typedef {{ name?: string, bodies: Body[], goal?: { first: number, second: number, hold_steps?: number } }} Scene
 * @typedef {[x: number, y: number, angle: number]} Pose
 */

/** A placed ball as a body. @returns {Body} */
export function ballBody({ x, y, r }) {
  return {
    shapes: [{ circle: r }],
    dynamic: true,
    position: [x, y],
    angle: 0,
    color: "red",
    kind: "ball",
  };
}

/** The pose of a body at the start. @returns {Pose} */
export function startPose(body) {
  return [body.position[0], body.position[1], body.angle ?? 0];
}

/**
 * Paint a scene.
 * @param {CanvasRenderingContext2D} ctx in scene coordinates
 * @param {Body[]} bodies
 * @param {(index: number) => Pose | undefined} [poseOf] the current pose of a body; by default that at the start
 * @param {boolean} [light]
 */
export function paintScene(ctx, bodies, poseOf = () => undefined, light = false) {
  const colours = palette(light);
  ctx.fillStyle = colours.ground;
  ctx.fillRect(0, 0, PHYRE_SIZE, PHYRE_SIZE);
  for (const dynamic of [false, true]) {
    bodies.forEach((body, index) => {
      if (body.dynamic === dynamic) paintBody(ctx, body, poseOf(index) ?? startPose(body), colours);
    });
  }
}

/** Paint one body. */
export function paintBody(ctx, body, pose, colours) {
  ctx.save();
  trace(ctx, body, pose);
  ctx.fillStyle = colours.phyre[body.color ?? "black"];
  ctx.fill();
  // A dot shows how far a ball has turned; without it a rolling ball seems to slide.
  const radius = body.shapes[0].circle;
  if (radius && body.dynamic) {
    ctx.fillStyle = "rgb(255 255 255 / 45%)";
    ctx.beginPath();
    ctx.arc(0, radius * 0.62, Math.max(radius * 0.14, 0.7), 0, 7);
    ctx.fill();
  }
  if (colours.marks && body.color in MARKS) mark(ctx, body, MARKS[body.color], colours);
  ctx.restore();
}

/** Make the outline of a body the current path, in the frame of the body. */
export function trace(ctx, body, [x, y, angle]) {
  ctx.translate(x, y);
  ctx.rotate(angle);
  ctx.beginPath();
  for (const shape of body.shapes) {
    if (shape.circle) {
      ctx.moveTo(shape.circle, 0);
      ctx.arc(0, 0, shape.circle, 0, 2 * Math.PI);
    } else {
      shape.polygon.forEach(([u, v], i) => (i ? ctx.lineTo(u, v) : ctx.moveTo(u, v)));
      ctx.closePath();
    }
  }
}

// Outlines of the goal bodies, for people who cannot distinguish the hues.
const MARKS = { green: [], blue: [4, 3], purple: [4, 3] };

function mark(ctx, body, dashes, colours) {
  trace(ctx, body, [0, 0, 0]);
  ctx.lineWidth = 1.6;
  ctx.setLineDash(dashes);
  ctx.strokeStyle = colours.phyre.black;
  ctx.stroke();
}
