// Pictures of puzzles on cards, drawn in the page so that they follow theme and palette.
import { paintGame } from "./canvas/iphyre_scene.js";
import { paintScene } from "./canvas/phyre_scene.js";
import { h, replace } from "./dom.js";
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

/** Pictures whose puzzles are loaded when they come into view. */
export class LazyPictures {
  #pictures = new Pictures();
  #loaders = new WeakMap();
  #observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) this.#draw(target);
    },
    { rootMargin: "300px" },
  );

  /** @param {(pictures: Pictures) => Promise<HTMLElement>} load loads a puzzle and draws it */
  of(load) {
    const box = h("div", { class: "picture" });
    this.#loaders.set(box, load);
    this.#observer.observe(box);
    return box;
  }

  close() {
    this.#observer.disconnect();
    this.#pictures.close();
  }

  async #draw(box) {
    this.#observer.unobserve(box);
    // A puzzle that cannot be drawn keeps an empty picture.
    const canvas = await this.#loaders
      .get(box)(this.#pictures)
      .catch(() => null);
    if (canvas && box.isConnected) replace(box, canvas);
  }
}
