// The back end of a static site: a worker in this browser answers the calls that a server would.
// It has the shape of ServerApi, so that pages need not know which one they talk to.
import { ApiError } from "../api_error.js";

/** @type {Worker | null} */
let worker = null;
let calls = 0;
/** @type {Map<number, { resolve: (answer: any) => void, reject: (error: Error) => void }>} */
const waiting = new Map();

export class LocalApi {
  local = true;
  instant = true; // the worker simulates within a frame of the screen
  key = "local"; // there is one player, who needs no secret

  /** @param {string} [storageKey] of a participant of a study */
  constructor(storageKey) {
    if (storageKey) throw new ApiError(404, "Studies need a server: start one with `topple play`.");
  }

  /** The worker loads the engines when it needs them. */
  async prepare() {}

  get(path, query = {}) {
    return call("GET", path, query);
  }

  /** All items of a list, up to `most`. */
  async list(path, most = 10_000) {
    return (await this.get(path)).slice(0, most);
  }

  /** The last items of a list. */
  async last(path, number) {
    return (await this.get(path)).slice(-number);
  }

  post(path, body = {}) {
    return call("POST", path, {}, body);
  }

  /** Store a puzzle that came with a link; it stays that of its maker. */
  adopt(puzzle) {
    return this.post("puzzles", { ...puzzle, mine: false });
  }

  put(path, body) {
    return call("PUT", path, {}, body);
  }

  delete(path) {
    return call("DELETE", path);
  }

  async player() {
    return this.key;
  }

  /** The connection of a live game, which has what is used of a WebSocket. */
  async live(game) {
    return new LocalSocket(game);
  }

  /** The films of an attempt, which the browser makes when they are asked for. */
  films(benchmark, subject, query) {
    const kinds = typeof VideoEncoder === "undefined" ? ["gif"] : ["gif", "mp4"];
    return kinds.map((kind) => ({
      name: kind.toUpperCase(),
      file: `${subject.replace(":", "-")}.${kind}`,
      make: async (onprogress) => {
        const { film } = await import("../film/film.js");
        const path = `replays/${benchmark}/${encodeURIComponent(subject)}`;
        return film(benchmark, await this.get(path, query), kind, onprogress);
      },
    }));
  }
}

/** A live game in the worker, with the part of a WebSocket's shape that the page uses. */
class LocalSocket {
  /** @param {string} game */
  constructor(game) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.onmessage = ({ data }) => {
      if (data === "closed") this.close();
      else this.onmessage?.({ data });
    };
    backend().postMessage({ live: game, port: port2 }, [port2]);
  }

  #port;
  readyState = WebSocket.OPEN;
  onmessage = /** @type {((event: { data: string }) => void) | null} */ (null);
  onclose = /** @type {(() => void) | null} */ (null);

  /** @param {string} text */
  send(text) {
    this.#port.postMessage(text);
  }

  close() {
    if (this.readyState === WebSocket.CLOSED) return;
    this.readyState = WebSocket.CLOSED;
    this.#port.postMessage("closed");
    this.#port.close();
    this.onclose?.();
  }
}

function call(method, path, query, body) {
  return new Promise((resolve, reject) => {
    const id = ++calls;
    waiting.set(id, { resolve, reject });
    backend().postMessage({ id, method, path, query, body });
  });
}

function backend() {
  if (worker) return worker;
  worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data: { id, answer, error } }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error) reject(new ApiError(error.status, error.message));
    else resolve(answer);
  };
  worker.onerror = () => {
    // The worker itself did not load: nothing will ever be answered.
    for (const { reject } of waiting.values())
      reject(new ApiError(0, "The engine could not be loaded. Reload the page to try again."));
    waiting.clear();
  };
  return worker;
}
