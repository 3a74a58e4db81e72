// Runs checks of an engine's bits, in Node, a page or a worker.
import { failedChecks } from "./engine/bits.js";
import { readGames, readJson, readTemplate } from "./engine/data.js";
import { loadEngine } from "./engine/engine.js";

/** What fails, by name. @param {(name: string) => any} read a file beside this one */
export async function run(read) {
  const engine = await loadEngine(read("topple.wasm.gz"));
  const { checks } = await readJson(read("checks.json.gz"));
  const templates = new Map();
  const template = async (id) => {
    if (!templates.has(id)) templates.set(id, await readTemplate(read(`tasks/${id}.json.gz`)));
    return templates.get(id);
  };
  const data = { template, games: await readGames(read("games.json.gz")) };
  const failed = await failedChecks(engine, checks, data);
  return { done: checks.length, failed: failed.map(({ template, game }) => template ?? game) };
}
