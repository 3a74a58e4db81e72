// Physics in a page that has a server, for what does not count: whether a ball fits, replays, what-ifs
// and the paths of earlier tries. The answers have the bits of the server's.
import { findRoute, SIMULATED } from "./answers.js";
import { loadEngine } from "./engine.js";

const OWN = "own:";

export class PagePhysics {
  /**
   * @param {any} engine
   * @param {any} rules of games, by name
   * @param {(path: string) => Promise<any>} ask the server
   */
  constructor(engine, rules, ask) {
    this.#ask = ask;
    this.#source = {
      task: async (name) => {
        const answer = await this.#once(`phyre/tasks/${encodeURIComponent(name)}`);
        // Only puzzles of one's own have more than is drawn, such as bodies that move at the start.
        const { data: scene } = name.startsWith(OWN)
          ? await this.#once(`puzzles/${name.slice(OWN.length)}`)
          : { data: answer.scene };
        return { answer, scene };
      },
      game: (name) => this.#once(`iphyre/games/${encodeURIComponent(name)}`),
      engine: async () => engine,
      rules: async () => rules,
    };
  }

  #ask;
  #source;
  /** @type {Map<string, Promise<any>>} */
  #puzzles = new Map();

  /** @param {string} module its address */
  static async load(module, rules, ask) {
    return new PagePhysics(await loadEngine(fetch(module)), rules, ask);
  }

  /** The answer to a call that needs physics alone; undefined to any other. */
  answer(call) {
    const found = findRoute(SIMULATED, call);
    return found?.handler(this.#source, found.call);
  }

  /** Ask for puzzles again, because one has changed. */
  forget() {
    this.#puzzles.clear();
  }

  #once(path) {
    if (!this.#puzzles.has(path)) {
      const asked = this.#ask(path);
      asked.catch(() => this.#puzzles.delete(path));
      this.#puzzles.set(path, asked);
    }
    return this.#puzzles.get(path);
  }
}
