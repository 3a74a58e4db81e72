// When the outcome of a PHYRE attempt is certain, as pure functions of its recording.
// Step k is the k-th of the engine, from 0; the recording shows the world after it at k + 1.

const STILL = 0.25; // px that nobody sees
const STILL_ANGLE = 0.02; // radians

/**
 * The time for which the goal bodies have been touching at a moment of the recording, in steps.
 * @param {[first: number, last: number][]} touching steps
 */
export function heldAt(touching, shown) {
  const step = Math.floor(shown) - 1;
  const during = touching.find(([first, last]) => first <= step && step <= last);
  return during ? shown - during[0] : 0;
}

/** The moments at which the goal bodies stop touching. */
export function breaks(touching, last) {
  return touching.map(([, end]) => end + 2).filter((shown) => shown < last);
}

/**
 * The moment from which nothing moves any more until the end.
 * @param {Float32Array} poses [frames, width, 3]
 */
export function restFrame(poses, frames, width) {
  const size = width * 3;
  const end = (frames - 1) * size;
  for (let frame = frames - 2; frame >= 0; frame--) {
    for (let i = 0; i < size; i++) {
      const limit = i % 3 === 2 ? STILL_ANGLE : STILL;
      if (Math.abs(poses[frame * size + i] - poses[end + i]) > limit) return frame + 1;
    }
  }
  return 0;
}

/**
 * The moment from which too few steps are left to hold the goal for long enough.
 * @param {[number, number][]} touching
 * @param {number} hold steps that are needed in a row
 * @param {number} steps of the whole attempt
 */
export function tooLateFrame(touching, hold, steps) {
  // A touch that has begun by this step can still last; one that begins later cannot.
  const latest = steps - hold;
  const under = touching.find(([first, last]) => first <= latest && last >= latest);
  return under ? under[1] + 2 : latest + 1;
}

/**
 * The moment of a recording at which the outcome is certain: when the goal has been held, when
 * everything rests, or when there is not enough time left.
 * @param {import("./replay.js").Replay} replay one frame per step
 */
export function certainMoment(replay, solved) {
  if (solved || replay.stride !== 1 || !replay.hold) return replay.last;
  const { poses, frames, width, touching, hold, last } = replay;
  return Math.min(last, restFrame(poses, frames, width), tooLateFrame(touching, hold, frames - 1));
}
