// The back end of the page. A server answers where `topple play` runs; the pages of a static site
// name the local one, which answers the same calls in this browser. Pages use `api` alone, so
// that they need not know which one it is.
export { ApiError } from "./api_error.js";

/** @typedef {import("./server_api.js").ServerApi | import("./local/local_api.js").LocalApi} Api */

const local = document.documentElement.dataset.backend === "local";
const backend = local
  ? (await import("./local/local_api.js")).LocalApi
  : (await import("./server_api.js")).ServerApi;

/** The free player of this browser. @type {Api} */
export const api = new backend();

/** The participant of a study, whose key is stored apart from that of the free player. */
export function participant(study) {
  return new backend(`topple.study.${study}`);
}
