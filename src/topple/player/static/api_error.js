/** A failed call; the message is a sentence for people. */
export class ApiError extends Error {
  /** @param {number} status as in HTTP, or 0 if nothing answered @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}
