// The engine and the data files of the site, each loaded when it is first needed.
import { engineHashes } from "../engine/bits.js";
import { readGames, readJson, readTemplate } from "../engine/data.js";
import { loadEngine } from "../engine/engine.js";

const DATA = new URL("../data/", import.meta.url);

export class Catalogue {
  /** @type {Map<string, Promise<any>>} */
  #files = new Map();

  /** What the server answers to everybody, whoever plays. */
  answers() {
    return this.#once("answers.json.gz", readJson);
  }

  /** The templates and the runs that galleries list. */
  lists() {
    return this.#once("lists.json.gz", readJson);
  }

  /** The engine, with both benchmarks. @returns {Promise<any>} */
  engine() {
    return this.#once("topple.wasm.gz", loadEngine);
  }

  /** The cards of the tasks of a template, with their scenes. */
  async cards(id) {
    const [scenes, { cards }] = await this.#template(id);
    return cards.map((card, i) => ({ ...card, scene: scenes[i] }));
  }

  /** A task with its scene, a solution and hints, if the template has one of this name. */
  async task(id, name) {
    const [scenes, { tasks }] = await this.#template(id);
    const place = tasks.findIndex(({ task }) => task.id === name);
    return place < 0 ? null : { ...tasks[place], scene: scenes[place] };
  }

  async #template(id) {
    const [{ tasks }, rest] = await Promise.all([
      this.#once(`tasks/${id}.json.gz`, readTemplate),
      this.#once(`answers/${id}.json.gz`, readJson),
    ]);
    return [tasks.map(({ scene }) => scene), rest];
  }

  /** The games by name, and the rules of play at 60 and at 10 ticks a second. */
  async games() {
    const { games, rules } = await this.#once("games.json.gz", readGames);
    return { games: new Map(games.map((game) => [game.name, game])), rules };
  }

  /** The hashes of both engines, if this browser gives their bits; it takes two seconds. */
  async engineHashes() {
    const [engine, probe, games] = await Promise.all([
      this.engine(),
      this.#once("probe.json.gz", readJson),
      this.#once("games.json.gz", readGames),
    ]);
    const template = (id) => this.#once(`tasks/${id}.json.gz`, readTemplate);
    return engineHashes(engine, probe, { template, games });
  }

  /** A run that can be watched. */
  run(id) {
    return this.#once(`runs/${id}.json.gz`, readJson);
  }

  #once(path, read) {
    if (!this.#files.has(path)) {
      const reading = load(path).then(read);
      // What failed because the network was down is asked for again.
      reading.catch(() => this.#files.delete(path));
      this.#files.set(path, reading);
    }
    return this.#files.get(path);
  }
}

async function load(path) {
  const response = await fetch(new URL(path, DATA));
  if (!response.ok) throw new Error(`${path} is missing (${response.status}).`);
  return response.arrayBuffer();
}
