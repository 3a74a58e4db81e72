// The data files of the tasks and games, as topple.player.data_files writes them.

import { unpack } from "./engine.js";

/**
 * The tasks of a PHYRE template; their scenes have the bits of the package's.
 * @param {BufferSource | Response} source
 */
export async function readTemplate(source) {
  const { shapes, bodies, tasks, ...template } = await readJson(source);
  const whole = bodies.map(({ shapes: used, ...body }) => ({
    shapes: used.map((number) => shapes[number]),
    ...body,
  }));
  return {
    ...template,
    tasks: tasks.map(({ bodies: used, goal, ...task }) => ({
      ...task,
      scene: { width: 256, height: 256, bodies: used.map((number) => whole[number]), goal },
    })),
  };
}

/** The 50 I-PHYRE games and the rules they are played by. @param {BufferSource | Response} source */
export function readGames(source) {
  return readJson(source);
}

/** JSON, compressed by gzip or not. @param {BufferSource | Response} source */
export async function readJson(source) {
  return JSON.parse(new TextDecoder().decode(await unpack(await source)));
}
