// Calls to the server. One Api speaks for one person: a free player, or a participant of a study.

const PLAYER_KEY = "topple.player";

/** What went wrong, in a sentence for people. */
export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export class Api {
  /** @param {string} slot where the browser keeps this person's key */
  constructor(slot = PLAYER_KEY) {
    this.slot = slot;
    this.key = recall(slot);
  }

  /** @param {string} key */
  keep(key) {
    this.key = key;
    remember(this.slot, key);
  }

  get(path, query = {}) {
    return this.#call("GET", path + search(query));
  }

  post(path, body = {}) {
    return this.#call("POST", path, body);
  }

  put(path, body) {
    return this.#call("PUT", path, body);
  }

  delete(path) {
    return this.#call("DELETE", path);
  }

  /** Whoever plays for the first time gets an anonymous key. */
  async player() {
    if (!this.key) this.keep((await this.#call("POST", "players", {})).key);
    return this.key;
  }

  /** The address of a live game. */
  async live(game) {
    const url = new URL(`api/iphyre/games/${encodeURIComponent(game)}/live`, document.baseURI);
    url.protocol = url.protocol.replace("http", "ws");
    url.searchParams.set("player", await this.player());
    return url.href;
  }

  async #call(method, path, body, again = true) {
    const headers = { Accept: "application/json" };
    if (this.key) headers["X-Player"] = this.key;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    let response;
    try {
      response = await fetch(`api/${path}`, {
        method,
        headers,
        body: body && JSON.stringify(body),
      });
    } catch {
      throw new ApiError(0, "The server does not answer. Is `topple play` still running?");
    }
    if (response.status === 401 && again && this.slot === PLAYER_KEY && path !== "players") {
      // The server has a fresh database, or this is the first call: start anew.
      this.key = null;
      await this.player();
      return this.#call(method, path, body, false);
    }
    if (!response.ok) throw new ApiError(response.status, await sentence(response));
    return response.status === 204 ? null : response.json();
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

function recall(slot) {
  try {
    return localStorage.getItem(slot);
  } catch {
    return null;
  }
}

function remember(slot, key) {
  try {
    localStorage.setItem(slot, key);
  } catch {
    // Storage may be blocked; the key then lasts until the page is closed.
  }
}

/** The free player of this browser. */
export const api = new Api();

/** The participant of a study, whose key is kept apart from the free player's. */
export function participant(study) {
  return new Api(`topple.study.${study}`);
}
