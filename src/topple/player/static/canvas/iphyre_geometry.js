// What an I-PHYRE game consists of, and which block is under a point; the worker needs it as well.

/**
 * @typedef {object} GameBody
 * @property {"gray" | "black" | "blue" | "ball"} kind
 * @property {number[]} ends px: x1, y1, x2, y2; both its centre for a ball
 * @property {number} radius px
 * @property {boolean} [dynamic]
 * @typedef {object} Geometry what is drawn of a game
 * @property {GameBody[]} bodies
 * @property {[number, number][]} sticks pairs of bodies
 * @property {[number, number][]} springs
 * @typedef {[x: number, y: number, angle: number]} Pose
 */

export const BLOCK_RADIUS = 10; // px
export const BALL_RADIUS = 20; // px, unless a game says otherwise

/**
 * The JSON form of a game as what is drawn and simulated.
 * @returns {Geometry}
 */
export function gameGeometry({ blocks, balls, sticks = [], springs = [] }) {
  return {
    bodies: [
      ...blocks.map(({ kind, ends }) => ({
        kind,
        ends: [...ends],
        radius: BLOCK_RADIUS,
        dynamic: kind === "blue",
      })),
      ...balls.map(({ centre: [x, y], radius = BALL_RADIUS }) => ({
        kind: "ball",
        ends: [x, y, x, y],
        radius,
        dynamic: true,
      })),
    ],
    sticks,
    springs,
  };
}

/** The pose of a body at the start. @param {GameBody} body @returns {Pose} */
export function startOf({ ends: [x1, y1, x2, y2] }) {
  return [(x1 + x2) / 2, (y1 + y2) / 2, 0];
}

/**
 * The gray block under a point, the first in order, or -1.
 * @param {GameBody[]} bodies
 * @param {{ x: number, y: number }} point
 * @param {(body: number) => boolean} [present]
 * @param {number} [slack] px around a block that count as well, for touches
 */
export function grayAt(bodies, point, present = () => true, slack = 0) {
  return bodies.findIndex(({ kind, ends: [x1, y1, x2, y2], radius }, body) => {
    if (kind !== "gray" || !present(body)) return false;
    const length = Math.hypot(x1 - x2, y1 - y2);
    const [ux, uy] = [(x1 - x2) / length, (y1 - y2) / length];
    const [px, py] = [point.x - (x1 + x2) / 2, point.y - (y1 + y2) / 2];
    const along = Math.abs(px * ux + py * uy);
    return along < length / 2 + slack && Math.abs(px * uy - py * ux) < radius + slack;
  });
}
