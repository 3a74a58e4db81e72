// What the player did, in IndexedDB: attempts, marks on puzzles, and puzzles of one's own.

const NAME = "topple";
const VERSION = 1;

/**
 * @typedef {object} Attempt
 * @property {number} [id]
 * @property {"phyre" | "iphyre"} benchmark
 * @property {string} subject a task, a game, or "own:<id>"
 * @property {number} number from 1
 * @property {boolean} counted
 * @property {any[]} action numbers, or [tick, body] of every removal
 * @property {boolean} solved
 * @property {number} ticks PHYRE: index of the last step
 * @property {number | null} reward I-PHYRE
 * @property {boolean} finished
 * @property {boolean} abandoned
 * @property {string | null} session of an unfinished one: the worker that plays it
 * @property {string} at when it was made, as ISO time
 * @property {number} seconds since the puzzle was shown or the attempt before
 */

/** Open the database; where the browser has none, what is stored lasts until the page closes. */
export async function openStore() {
  try {
    return new Store(await openDatabase());
  } catch {
    return new Store(null);
  }
}

function openDatabase() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, VERSION);
    request.onupgradeneeded = () => {
      const { result: database } = request;
      const attempts = database.createObjectStore("attempts", {
        keyPath: "id",
        autoIncrement: true,
      });
      attempts.createIndex("benchmark", "benchmark");
      attempts.createIndex("subject", ["benchmark", "subject"]);
      database.createObjectStore("marks", { keyPath: "subject" });
      database.createObjectStore("puzzles", { keyPath: "id" });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

class Store {
  /** @param {IDBDatabase | null} database */
  constructor(database) {
    this.#database = database;
  }

  #database;
  /** @type {Record<string, Map<any, any>>} */
  #memory = { attempts: new Map(), marks: new Map(), puzzles: new Map() };

  /** The row with a key. */
  get(table, key) {
    if (!this.#database) return Promise.resolve(this.#memory[table].get(key));
    return this.#run(table, "readonly", (store) => store.get(key));
  }

  /** All rows of a table. */
  all(table) {
    if (!this.#database) return Promise.resolve([...this.#memory[table].values()]);
    return this.#run(table, "readonly", (store) => store.getAll());
  }

  /** The attempts at the puzzles of a benchmark, or at one of them. @returns {Promise<Attempt[]>} */
  async attempts(benchmark, subject) {
    if (!this.#database)
      return (await this.all("attempts")).filter(
        (row) => row.benchmark === benchmark && (!subject || row.subject === subject),
      );
    return this.#run("attempts", "readonly", (store) =>
      subject
        ? store.index("subject").getAll([benchmark, subject])
        : store.index("benchmark").getAll(benchmark),
    );
  }

  /** Store a row; one without a key gets the next one. Returns the row with its key. */
  async put(table, row) {
    const key = table === "marks" ? "subject" : "id";
    if (this.#database) {
      const made = await this.#run(table, "readwrite", (store) => store.put(row));
      return { ...row, [key]: made };
    }
    const stored = { ...row, [key]: row[key] ?? this.#memory[table].size + 1 };
    this.#memory[table].set(stored[key], stored);
    return stored;
  }

  /** Delete the row with a key. */
  async delete(table, key) {
    if (this.#database) await this.#run(table, "readwrite", (store) => store.delete(key));
    else this.#memory[table].delete(key);
  }

  /** Delete everything. */
  async clear() {
    for (const table of Object.keys(this.#memory)) {
      if (this.#database) await this.#run(table, "readwrite", (store) => store.clear());
      this.#memory[table].clear();
    }
  }

  #run(table, mode, act) {
    return new Promise((resolve, reject) => {
      const transaction = this.#database.transaction(table, mode);
      const request = act(transaction.objectStore(table));
      // A change is stored when its transaction is complete, not when the request is answered.
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  }
}
