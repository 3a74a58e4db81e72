// An I-PHYRE game that is being edited.
import { segmentDistance } from "../canvas/geometry.js";
import { BALL_RADIUS, BLOCK_RADIUS, gameGeometry, startOf } from "../canvas/iphyre_geometry.js";
import { paintGame } from "../canvas/iphyre_scene.js";

/** @typedef {import("../canvas/iphyre_geometry.js").GameBody} GameBody */

const SIZE = 600;
const JOINTS = ["stick", "spring"];

export class IphyreDraft {
  /** @param {any} data a game in JSON */
  constructor(data) {
    /** @type {GameBody[]} */
    this.items = gameGeometry(data).bodies;
    const joint =
      (kind) =>
      ([a, b]) => ({ kind, pair: [this.items[a], this.items[b]] });
    this.joints = [
      ...(data.sticks ?? []).map(joint("stick")),
      ...(data.springs ?? []).map(joint("spring")),
    ];
    this.concept = data.concept ?? "";
    this.pending = null; // a joint that waits for its two bodies
  }

  size = SIZE;
  yUp = false;
  goalSentence = "Get every ball out through the bottom by removing gray blocks at the right time.";
  hint = "Drag a body to move it; pull its ends to turn and resize it.";
  tools = [
    ["gray", "Gray"],
    ["black", "Black"],
    ["blue", "Blue"],
    ["ball", "Ball"],
    ["stick", "Stick"],
    ["spring", "Spring"],
  ];

  /** Blocks first, then balls: the order of the JSON form. */
  get ordered() {
    return [
      ...this.items.filter(({ kind }) => kind !== "ball"),
      ...this.items.filter(({ kind }) => kind === "ball"),
    ];
  }

  /** The game in the JSON form that the API loads. */
  data(name) {
    const all = this.ordered;
    const pairs = (kind) =>
      this.joints
        .filter((joint) => joint.kind === kind)
        .map(({ pair }) => pair.map((body) => all.indexOf(body)));
    return {
      name:
        name
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, "_")
          .replace(/^_+|_+$/g, "") || "my_game",
      concept: this.concept || name,
      blocks: all.filter(({ kind }) => kind !== "ball").map(({ kind, ends }) => ({ kind, ends })),
      balls: all
        .filter(({ kind }) => kind === "ball")
        .map(({ ends: [x, y], radius }) => ({ centre: [x, y], radius })),
      sticks: pairs("stick"),
      springs: pairs("spring"),
    };
  }

  /** The item of a body in the data, or -1. */
  itemOf(body) {
    return this.items.indexOf(this.ordered[body]);
  }

  name(index) {
    const { kind } = this.items[index];
    return kind === "ball" ? "ball" : `${kind} block`;
  }

  add(tool) {
    if (JOINTS.includes(tool)) {
      this.pending = { kind: tool, first: null };
      return -1;
    }
    // Each a little further, so that new bodies do not hide each other.
    const [x, y] = [130 + ((this.items.length * 97) % 340), 120 + ((this.items.length * 61) % 300)];
    const half = tool === "ball" ? 0 : 60;
    this.items.push({
      kind: tool,
      ends: [x - half, y, x + half, y],
      radius: half ? BLOCK_RADIUS : BALL_RADIUS,
    });
    return this.items.length - 1;
  }

  /** The instruction while a joint waits for its bodies. */
  get prompt() {
    if (!this.pending) return "";
    return this.pending.first
      ? `Now select the body at the other end of the ${this.pending.kind}.`
      : `Select the body at the first end of the ${this.pending.kind}.`;
  }

  /** Handle the selection of a body; returns whether it was for a joint. */
  choose(index) {
    if (!this.pending) return false;
    const body = this.items[index];
    const { kind, first } = this.pending;
    if (!body) this.pending = null;
    else if (!first) this.pending.first = body;
    else if (body !== first) {
      this.joints.push({ kind, pair: [first, body] });
      this.pending = null;
    }
    return true;
  }

  remove(index) {
    const [gone] = this.items.splice(index, 1);
    this.joints = this.joints.filter(({ pair }) => !pair.includes(gone));
  }

  hit({ x, y }, slack) {
    return this.items.findLastIndex(
      ({ ends: [x1, y1, x2, y2], radius }) =>
        segmentDistance([x1, y1], [x2, y2], [x, y]) < radius + slack,
    );
  }

  move(index, dx, dy) {
    const { ends } = this.items[index];
    for (const i of [0, 2]) {
      ends[i] += dx;
      ends[i + 1] += dy;
    }
  }

  turn(index, degrees) {
    const item = this.items[index];
    const [x, y] = startOf(item);
    const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    const about = (u, v) => [x + (u - x) * cos + (v - y) * sin, y + (v - y) * cos - (u - x) * sin];
    item.ends = [...about(item.ends[0], item.ends[1]), ...about(item.ends[2], item.ends[3])];
  }

  grow(index, by) {
    const item = this.items[index];
    if (item.kind === "ball") item.radius = bound(item.radius + by, 5, 100);
    else {
      const [x, y] = startOf(item);
      const [dx, dy] = [item.ends[2] - x, item.ends[3] - y];
      const factor = Math.max(1 + by / (Math.hypot(dx, dy) || 1), 0.1);
      item.ends = [x - dx * factor, y - dy * factor, x + dx * factor, y + dy * factor];
    }
  }

  handles(index) {
    const {
      kind,
      ends: [x1, y1, x2, y2],
      radius,
    } = this.items[index];
    if (kind === "ball") return [{ name: "rim", x: x1 + radius, y: y1 }];
    return [
      { name: "start", x: x1, y: y1 },
      { name: "end", x: x2, y: y2 },
    ];
  }

  drag(index, handle, { x, y }) {
    const item = this.items[index];
    if (handle === "rim")
      item.radius = bound(Math.round(Math.hypot(x - item.ends[0], y - item.ends[1])), 5, 100);
    else item.ends.splice(handle === "start" ? 0 : 2, 2, Math.round(x), Math.round(y));
  }

  fields(index) {
    const item = this.items[index];
    const set = (i) => (value) => (item.ends[i] = value);
    if (item.kind === "ball") {
      const centre = (i) => (value) => (item.ends[i] = item.ends[i + 2] = value);
      return [
        ["x", item.ends[0], centre(0)],
        ["y", item.ends[1], centre(1)],
        ["Radius", item.radius, (value) => (item.radius = bound(value, 5, 100))],
      ];
    }
    return ["x1", "y1", "x2", "y2"].map((name, i) => [name, item.ends[i], set(i)]);
  }

  choices(index) {
    const item = this.items[index];
    if (item.kind === "ball") return [];
    return [
      [
        "Kind",
        [
          ["gray", "Gray"],
          ["black", "Black"],
          ["blue", "Blue"],
        ],
        item.kind,
        (value) => (item.kind = value),
      ],
    ];
  }

  paint(ctx, colours, selected, unit) {
    const pairs = (kind) =>
      this.joints
        .filter((joint) => joint.kind === kind)
        .map(({ pair }) => pair.map((body) => this.items.indexOf(body)));
    paintGame(ctx, { bodies: this.items, sticks: pairs("stick"), springs: pairs("spring") });
    if (selected < 0) return;
    const {
      ends: [x1, y1, x2, y2],
      radius,
    } = this.items[selected];
    const [nx, ny] = [y1 - y2, x2 - x1].map((v) => v / (Math.hypot(x2 - x1, y2 - y1) || 1));
    const angle = Math.atan2(ny, nx);
    ctx.lineWidth = 2 * unit;
    ctx.strokeStyle = colours.phyre.red;
    ctx.beginPath();
    ctx.arc(x1, y1, radius, angle, angle + Math.PI);
    ctx.arc(x2, y2, radius, angle + Math.PI, angle + 2 * Math.PI);
    ctx.closePath();
    ctx.stroke();
  }
}

function bound(value, least, most) {
  return Math.min(Math.max(value, least), most);
}
