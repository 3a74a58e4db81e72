// Motion in the form that the server sends and that play/replay.js shows.

/**
 * @param {number} frames
 * @param {number[]} bodies which ones move
 * @param {(frame: number, body: number) => ArrayLike<number>} pose x, y and angle
 * @param {number} fps frames in a second of the world
 * @param {[number, number, number][]} balls the player's balls: x, y and radius at the start
 */
export function encodeTrajectory(frames, bodies, pose, fps, balls = []) {
  const poses = new Float32Array(frames * bodies.length * 3);
  for (let frame = 0, at = 0; frame < frames; frame += 1) {
    for (const body of bodies) {
      const [x, y, angle] = pose(frame, body);
      poses.set([x, y, angle], at);
      at += 3;
    }
  }
  const bytes = new Uint8Array(poses.buffer);
  const letters = [];
  const PIECE = 8192; // more arguments than this do not fit one call
  for (let at = 0; at < bytes.length; at += PIECE) {
    letters.push(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  }
  // Only in PHYRE is there a goal that has to be held.
  const goal = { touching: [], hold_steps: 0 };
  return { fps, frames, bodies, balls, poses: btoa(letters.join("")), ...goal };
}
