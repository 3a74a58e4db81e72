// Replays of solved puzzles in turn, for the first page.
import { api } from "../api.js";
import { ballBody, paintScene } from "../canvas/phyre_scene.js";
import { PHYRE_SIZE, SceneView } from "../canvas/scene_view.js";
import { h } from "../dom.js";
import { Replay } from "../play/replay.js";
import { pageLink } from "../router.js";
import { settings } from "../settings.js";

const REST = 1200; // ms between two replays

export function heroShow() {
  let bodies = [];
  let poseOf;
  const view = new SceneView({
    size: PHYRE_SIZE,
    yUp: true,
    label: "Replays of solved puzzles",
    paint: (ctx) => paintScene(ctx, bodies, poseOf),
  });
  const caption = h("figcaption");
  let left = false;

  async function run() {
    const shown = await (await fetch("hero.json")).json();
    for (let turn = 0; !left; turn++) {
      const { task, action } = shown[turn % shown.length];
      const { name, scene, trajectory } = await api.get(`replays/phyre/${task}`, { action });
      const replay = new Replay(trajectory);
      bodies = [...scene.bodies, ...replay.balls.map(ballBody)];
      caption.replaceChildren(
        h("a", { href: pageLink("phyre", task) }, name),
        ", solved with ",
        replay.balls.length === 1 ? "one ball" : "two balls",
      );
      await film(replay);
    }
  }

  async function film(replay) {
    const start = performance.now();
    const still = settings.reducedMotion;
    for (let step = 0; !left && (still || step < replay.last);) {
      const now = await new Promise(requestAnimationFrame);
      step = still ? 0 : Math.max(0, ((now - start - REST / 2) / 1000) * 60);
      poseOf = replay.at(step);
      view.redraw();
      if (still) return new Promise(() => {}); // one picture is shown
    }
    await new Promise((resolve) => setTimeout(resolve, REST));
  }

  run().catch(() => {}); // this is decoration; the gallery below reports errors
  return {
    element: h("figure", {}, h("div", { class: "frame" }, view.canvas), caption),
    leave: () => {
      left = true;
      view.close();
    },
  };
}
