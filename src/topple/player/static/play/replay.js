// Recorded poses, interpolated at any step.

/**
 * @typedef {object} TrajectoryData
 * @property {number} fps frames in a second of the world
 * @property {number} frames
 * @property {number[]} bodies which ones move
 * @property {[number, number, number][]} balls the player's balls at the start: x, y, radius
 * @property {string} poses base64 of float32, [frames, bodies, 3]
 * @property {[number, number][]} [touching] PHYRE: first and last step of each touch of the goal
 * @property {number} [hold_steps] PHYRE: how long a touch has to last
 */

export const STEPS_PER_SECOND = 60;

export class Replay {
  /** @param {TrajectoryData} data */
  constructor(data) {
    const bytes = Uint8Array.from(atob(data.poses), (letter) => letter.charCodeAt(0));
    this.poses = new Float32Array(bytes.buffer);
    this.frames = data.frames;
    this.balls = data.balls.map(([x, y, r]) => ({ x, y, r }));
    this.touching = data.touching ?? [];
    this.hold = data.hold_steps ?? 0;
    this.stride = STEPS_PER_SECOND / data.fps;
    this.width = data.bodies.length;
    this.column = new Map(data.bodies.map((body, k) => [body, k]));
  }

  /** The last step of the recording. */
  get last() {
    return Math.max(0, this.frames - 1) * this.stride;
  }

  /**
   * The poses of bodies at a step, interpolated between two.
   * @returns {(body: number) => [number, number, number] | undefined} undefined if it never moves
   */
  at(step) {
    const exact = Math.min(step / this.stride, this.frames - 1);
    const frame = Math.floor(exact);
    const part = exact - frame;
    return (body) => {
      const k = this.column.get(body);
      if (k === undefined) return undefined;
      const here = (frame * this.width + k) * 3;
      const there = part > 0 ? here + this.width * 3 : here;
      const mix = (axis) =>
        this.poses[here + axis] + (this.poses[there + axis] - this.poses[here + axis]) * part;
      return [mix(0), mix(1), mix(2)];
    };
  }
}
