// Whether balls are valid in a PHYRE scene: the server's rule, for feedback while dragging.

export const MIN_RADIUS = 2; // px
export const MAX_RADIUS = 32; // px
export const SIZE = 256; // px
const SPACING = 1; // px between two balls of an action
const TOUCH = 1e-5; // px; touching is allowed

/** @typedef {{ x: number, y: number, r: number }} BallSpot whole pixels, y up */

/** The action that places these balls: numbers from 0 to 1. @param {BallSpot[]} balls */
export function toAction(balls) {
  return balls.flatMap(({ x, y, r }) => [
    x / (SIZE - 1),
    y / (SIZE - 1),
    (r - MIN_RADIUS) / (MAX_RADIUS - MIN_RADIUS),
  ]);
}

/** The balls of an action, as they are simulated. @returns {BallSpot[]} */
export function fromAction(action) {
  const balls = [];
  for (let i = 0; i + 2 < action.length; i += 3) {
    balls.push({
      x: Math.trunc(action[i] * (SIZE - 1)),
      y: Math.trunc(action[i + 1] * (SIZE - 1)),
      r: roundHalfEven(action[i + 2] * (MAX_RADIUS - MIN_RADIUS) + MIN_RADIUS),
    });
  }
  return balls;
}

function roundHalfEven(value) {
  const low = Math.floor(value);
  const rest = value - low;
  return rest > 0.5 || (rest === 0.5 && low % 2 === 1) ? low + 1 : low;
}

/** Limit a radius to its range, in whole pixels. */
export function clampRadius(r) {
  return Math.min(Math.max(Math.round(r), MIN_RADIUS), MAX_RADIUS);
}

/**
 * The fault of each ball in a few words, or null.
 * @param {BallSpot[]} balls
 * @param {import("./phyre_scene.js").Body[]} bodies
 * @returns {(string | null)[]}
 */
export function faults(balls, bodies) {
  return balls.map((ball, i) => {
    const { x, y, r } = ball;
    if (Math.min(x, y) < r || Math.max(x, y) > SIZE - r) return "reaches outside the scene";
    const crowded = balls.some(
      (other, j) => j !== i && Math.hypot(other.x - x, other.y - y) < other.r + r + SPACING,
    );
    if (crowded) return "overlaps the other ball";
    return bodies.some((body) => ballHits(ball, body)) ? "covers a body of the scene" : null;
  });
}

function ballHits({ x, y, r }, body) {
  const centre = intoBody(x, y, body);
  return body.shapes.some((shape) =>
    shape.circle
      ? Math.hypot(...centre) + TOUCH < r + shape.circle
      : contains(shape.polygon, centre) || edgeDistance(shape.polygon, centre) + TOUCH < r,
  );
}

/** Whether a body is under a point. */
export function bodyHas(body, { x, y }, slack = 0) {
  const point = intoBody(x, y, body);
  return body.shapes.some((shape) =>
    shape.circle
      ? Math.hypot(...point) < shape.circle + slack
      : contains(shape.polygon, point) || edgeDistance(shape.polygon, point) < slack,
  );
}

/** A point of the scene in the frame of a body. @returns {[number, number]} */
export function intoBody(x, y, { position, angle = 0 }) {
  const [px, py] = position;
  const [dx, dy, cos, sin] = [x - px, y - py, Math.cos(angle), Math.sin(angle)];
  return [dx * cos + dy * sin, dy * cos - dx * sin];
}

function contains(polygon, [x, y]) {
  return polygon.every(([bx, by], i) => {
    const [ax, ay] = polygon.at(i - 1);
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0;
  });
}

function edgeDistance(polygon, point) {
  return Math.min(...polygon.map((b, i) => segmentDistance(polygon.at(i - 1), b, point)));
}

/** The distance of a point from the line segment between two points. */
export function segmentDistance([ax, ay], [bx, by], [x, y]) {
  const [dx, dy] = [bx - ax, by - ay];
  const along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1);
  const t = Math.min(Math.max(along, 0), 1);
  return Math.hypot(x - ax - t * dx, y - ay - t * dy);
}
