// One moment of a recorded attempt of either benchmark.
import { paintGame } from "../canvas/iphyre_scene.js";
import { ballBody, paintScene } from "../canvas/phyre_scene.js";
import { STEPS_PER_SECOND } from "./replay.js";

/**
 * Paint the world at a step.
 * @param {CanvasRenderingContext2D} ctx in scene coordinates
 * @param {"phyre" | "iphyre"} benchmark
 * @param {any} data a PhyreReplay or a GameReplay of the server
 * @param {import("./replay.js").Replay} replay its motion
 * @param {number} step
 * @param {boolean} [light]
 */
export function paintReplay(ctx, benchmark, data, replay, step, light = false) {
  const poseOf = replay.at(step);
  if (benchmark === "phyre") {
    paintScene(ctx, [...data.scene.bodies, ...replay.balls.map(ballBody)], poseOf, light);
    return;
  }
  const now = (step * data.hz) / STEPS_PER_SECOND;
  const gone = new Set(data.plan.filter(({ tick }) => tick < now).map(({ body }) => body));
  paintGame(ctx, data, { poseOf, present: (body) => !gone.has(body), light });
}
