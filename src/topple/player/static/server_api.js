// The back end that `topple play` serves. Each instance acts for one person: a free player or a
// participant of a study. What does not count, a free player's page simulates by itself if the server
// has the engines for it; what counts is always decided by the server.
import { ApiError } from "./api_error.js";

const PLAYER_KEY = "topple.player";
const PAGE = 500; // items of a list in one answer

/** @type {import("./engine/page_physics.js").PagePhysics | null} */
let physics = null;
let loading = /** @type {Promise<void> | null} */ (null); // of physics
let studying = false; // whether this page has opened a study: it simulates nothing then

export class ServerApi {
  local = false;

  /** @param {string} storageKey under which the browser stores this person's key */
  constructor(storageKey = PLAYER_KEY) {
    this.storageKey = storageKey;
    this.key = readStorage(storageKey);
    studying ||= storageKey !== PLAYER_KEY;
  }

  /** Whether replays take no longer than a frame of the screen, so that they can follow a pointer. */
  get instant() {
    return physics !== null && !studying;
  }

  /** Load the engines into the page, if the server has them and this is no study. */
  prepare() {
    if (!studying) loading ??= this.#load();
    return loading ?? Promise.resolve();
  }

  async #load() {
    try {
      const { module, rules } = await this.#call("GET", "engine");
      if (!module) return;
      const { PagePhysics } = await import("./engine/page_physics.js");
      physics = await PagePhysics.load(module, rules, (path) => this.#call("GET", path));
    } catch (error) {
      // The server simulates, as it does without the engines; old browsers may lack something.
      console.info("Physics do not run in this page:", error);
    }
  }

  /** @param {string} key */
  setKey(key) {
    this.key = key;
    writeStorage(this.storageKey, key);
  }

  async get(path, query = {}) {
    return (await this.#inPage({ method: "GET", path, query })) ?? this.#call("GET", path + search(query));
  }

  /** All items of a list that the server gives in pages, up to `most`. */
  async list(path, most = 10_000) {
    const items = [];
    for (let offset = 0, total = 1; offset < Math.min(total, most); offset += PAGE) {
      const response = await this.#send("GET", path + search({ limit: PAGE, offset }));
      items.push(...(await response.json()));
      total = Number(response.headers.get("X-Total-Count"));
    }
    return items;
  }

  /** The last items of a list that the server gives in pages. */
  async last(path, number) {
    const response = await this.#send("GET", path + search({ limit: 1 }));
    const total = Number(response.headers.get("X-Total-Count"));
    return this.get(path, { limit: number, offset: Math.max(0, total - number) });
  }

  async post(path, body = {}) {
    return (await this.#inPage({ method: "POST", path, body })) ?? this.#call("POST", path, body);
  }

  /** Store a puzzle that came with a link. */
  adopt(puzzle) {
    return this.post("puzzles", puzzle);
  }

  put(path, body) {
    physics?.forget(); // a puzzle changes
    return this.#call("PUT", path, body);
  }

  delete(path) {
    return this.#call("DELETE", path);
  }

  /** The key of this player; a new anonymous player is created first if there is none. */
  async player() {
    if (!this.key) this.setKey((await this.#call("POST", "players", {})).key);
    return this.key;
  }

  /** The connection of a live game. */
  async live(game) {
    const url = new URL(`api/iphyre/games/${encodeURIComponent(game)}/live`, document.baseURI);
    url.protocol = url.protocol.replace("http", "ws");
    url.searchParams.set("player", await this.player());
    return new WebSocket(url);
  }

  /** The films of an attempt that can be downloaded. */
  films(benchmark, subject, query) {
    const address = `api/replays/${benchmark}/${encodeURIComponent(subject)}/film`;
    return ["gif", "mp4"].map((ending) => ({
      name: ending.toUpperCase(),
      href: `${address}.${ending}${search(query)}`,
    }));
  }

  /** The answer of the page itself to a call that needs physics alone; else undefined. */
  async #inPage(call) {
    if (!this.instant) return undefined;
    try {
      return await physics?.answer(call);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      physics = null; // the server can still answer
      return undefined;
    }
  }

  async #call(method, path, body) {
    const response = await this.#send(method, path, body);
    return response.status === 204 ? null : response.json();
  }

  async #send(method, path, body, again = true) {
    const headers = { Accept: "application/json" };
    if (this.key) headers["X-Player"] = this.key;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    let response;
    try {
      response = await fetch(`api/${path}`, {
        method,
        headers,
        body: body && JSON.stringify(body),
        keepalive: path === "me/events", // it may be the last call of a page that is being closed
      });
    } catch {
      throw new ApiError(0, "The server does not answer. Is `topple play` still running?");
    }
    if (response.status === 401 && again && this.storageKey === PLAYER_KEY && path !== "players") {
      // The server has a new database, or this is the first call: start as a new player.
      this.key = null;
      await this.player();
      return this.#send(method, path, body, false);
    }
    if (!response.ok) throw new ApiError(response.status, await sentence(response));
    return response;
  }
}

async function sentence(response) {
  try {
    const { detail } = await response.json();
    if (typeof detail === "string") return detail;
  } catch {
    // Not JSON: something between the page and the server answered.
  }
  return `The server answered ${response.status}.`;
}

function search(query) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return given.length ? `?${new URLSearchParams(given.map(([k, v]) => [k, String(v)]))}` : "";
}

function readStorage(storageKey) {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

function writeStorage(storageKey, key) {
  try {
    localStorage.setItem(storageKey, key);
  } catch {
    // Storage may be blocked; the key then lasts until the page is closed.
  }
}
