// Pictures of puzzles on cards, drawn in the page so that they follow theme and palette.
import { paintGame } from "./canvas/iphyre_scene.js";
import { paintScene } from "./canvas/phyre_scene.js";
import { IPHYRE_SIZE, PHYRE_SIZE, SceneView } from "./canvas/scene_view.js";

/** The pictures of one page, which are closed together when the user leaves it. */
export class Pictures {
  /** @type {SceneView[]} */
  #open = [];

  /** @param {{ bodies: import("./canvas/phyre_scene.js").Body[] }} scene */
  phyre(scene) {
    return this.#add(PHYRE_SIZE, true, (ctx) => paintScene(ctx, scene.bodies));
  }

  /** @param {import("./canvas/iphyre_scene.js").Geometry} game */
  iphyre(game) {
    return this.#add(IPHYRE_SIZE, false, (ctx) => paintGame(ctx, game));
  }

  close() {
    for (const view of this.#open.splice(0)) view.close();
  }

  #add(size, yUp, paint) {
    const view = new SceneView({ size, yUp, paint });
    this.#open.push(view);
    return view.canvas;
  }
}
