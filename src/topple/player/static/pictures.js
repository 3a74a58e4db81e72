// Pictures of puzzles on cards, drawn here so that they follow theme and palette.
import { paintGame } from "./canvas/iphyre_scene.js";
import { paintScene } from "./canvas/phyre_scene.js";
import { IPHYRE_SIZE, PHYRE_SIZE, Stage } from "./canvas/stage.js";

/** Pictures of one page; close them together when it is left. */
export class Pictures {
  /** @type {Stage[]} */
  #open = [];

  /** @param {{ bodies: import("./canvas/phyre_scene.js").Body[] }} scene */
  phyre(scene) {
    return this.#add(PHYRE_SIZE, true, (ctx) => paintScene(ctx, scene.bodies));
  }

  /** @param {import("./canvas/iphyre_scene.js").Level} level */
  iphyre(level) {
    return this.#add(IPHYRE_SIZE, false, (ctx) => paintGame(ctx, level));
  }

  close() {
    for (const stage of this.#open.splice(0)) stage.close();
  }

  #add(size, yUp, paint) {
    const stage = new Stage({ size, yUp, paint });
    this.#open.push(stage);
    return stage.canvas;
  }
}
