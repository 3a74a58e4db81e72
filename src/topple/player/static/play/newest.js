// Work that follows a pointer: one piece at a time, and of those that came meanwhile the last.

/**
 * A function that does some work with what it was given last.
 * @template {any[]} T
 * @param {(...given: T) => Promise<void>} work
 * @returns {(...given: T) => Promise<void>}
 */
export function newestOnly(work) {
  let next = /** @type {T | null} */ (null);
  let busy = false;
  return async (...given) => {
    next = given;
    if (busy) return;
    busy = true;
    try {
      while (next) {
        const now = next;
        next = null;
        await work(...now);
      }
    } finally {
      busy = false;
    }
  };
}
