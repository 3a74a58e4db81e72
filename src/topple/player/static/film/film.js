// Films of attempts, drawn and encoded by the browser, for a site that has no server to do so.
import { IPHYRE_SIZE, PHYRE_SIZE } from "../canvas/scene_view.js";
import { paintReplay } from "../play/paint_replay.js";
import { Replay, STEPS_PER_SECOND } from "../play/replay.js";

const SIZES = { phyre: 512, iphyre: 600 }; // px
const FPS = 20; // divides the 60 steps of a second, and a GIF can keep it
const HOLD = 1; // seconds that the last frame stays
const BREATH = 30; // ms of work before the page is drawn again

/**
 * @typedef {object} Frames
 * @property {number} size width and height in px
 * @property {number} fps
 * @property {number} count
 * @property {number} hold seconds that the last frame stays
 * @property {(k: number) => HTMLCanvasElement} draw a frame
 * @property {(k: number) => Uint32Array} picture the pixels of a frame, as 0xAABBGGRR
 */

/**
 * A film of an attempt.
 * @param {"phyre" | "iphyre"} benchmark
 * @param {any} data a PhyreReplay or a GameReplay of the server
 * @param {"gif" | "mp4"} kind
 * @param {(share: number) => void} onprogress how much of it is done
 * @returns {Promise<Blob>}
 */
export async function film(benchmark, data, kind, onprogress) {
  const encode = kind === "gif" ? (await import("./gif.js")).gif : (await import("./mp4.js")).mp4;
  let since = performance.now();
  return encode(framesOf(benchmark, data), async (share) => {
    if (performance.now() - since < BREATH) return;
    onprogress(share);
    await new Promise((resume) => setTimeout(resume));
    since = performance.now();
  });
}

/** @returns {Frames} */
function framesOf(benchmark, data) {
  const phyre = benchmark === "phyre";
  const replay = new Replay(data.trajectory);
  const fps = Math.min(FPS, data.hz ?? FPS);
  const size = SIZES[benchmark];
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const ctx = canvas.getContext("2d", { willReadFrequently: true });
  const scale = size / (phyre ? PHYRE_SIZE : IPHYRE_SIZE);
  ctx.setTransform(scale, 0, 0, phyre ? -scale : scale, 0, phyre ? size : 0);
  const stride = STEPS_PER_SECOND / fps;
  const draw = (k) => {
    paintReplay(ctx, benchmark, data, replay, Math.min(k * stride, replay.last), true);
    return canvas;
  };
  return {
    size,
    fps,
    count: Math.ceil(replay.last / stride) + 1,
    hold: HOLD,
    draw,
    picture: (k) => {
      draw(k);
      return new Uint32Array(ctx.getImageData(0, 0, size, size).data.buffer);
    },
  };
}
