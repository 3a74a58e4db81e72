// A PHYRE scene that is being edited.
import { bodyHas, intoBody } from "../canvas/geometry.js";
import { paintScene, startPose, trace } from "../canvas/phyre_scene.js";
import { FORMS, FREE_POLYGONS } from "./shapes.js";

/** @typedef {import("../canvas/phyre_scene.js").Body} Body */

const HOLD_STEPS = 180; // three seconds
const SIZE = 256;
const SNAP = 3; // degrees around multiples of 15

export class PhyreDraft {
  /**
   * @param {any} data a scene in JSON
   * @param {any} blank the empty scene
   */
  constructor(data, blank) {
    this.walls = blank.bodies.filter(isWall);
    const own = data.bodies.filter((body) => !isWall(body));
    /** @type {Body[]} */
    this.items = own.map((body) => ({ kind: "undefined", angle: 0, ...structuredClone(body) }));
    const role = (index) => this.items[own.indexOf(data.bodies[index])];
    this.goal = {
      first: data.goal && role(data.goal.first),
      second: data.goal && role(data.goal.second),
    };
  }

  size = SIZE;
  yUp = true;
  hint = "Drag a body to move it; pull the white handle to resize it and the red one to turn it.";
  tools = [
    ...Object.entries(FORMS).map(([kind, { word }]) => [kind, word]),
    ...Object.entries(FREE_POLYGONS).map(([kind, { word }]) => [kind, word]),
  ];

  /** The scene in the JSON form that the API loads. */
  data(name) {
    const bodies = [
      ...this.walls,
      ...this.items.map((body) => ({ ...body, color: this.colour(body) })),
    ];
    const index = (body) => (body ? this.walls.length + this.items.indexOf(body) : -1);
    const { first, second } = this.goal;
    const goal = first &&
      second && { first: index(first), second: index(second), hold_steps: HOLD_STEPS };
    return { name, width: SIZE, height: SIZE, bodies, ...(goal && { goal }) };
  }

  /** The item of a body in the data, or -1. */
  itemOf(body) {
    return body - this.walls.length in this.items ? body - this.walls.length : -1;
  }

  colour(body) {
    if (body === this.goal.first) return "green";
    if (body === this.goal.second) return body.dynamic ? "blue" : "purple";
    return body.dynamic ? "gray" : "black";
  }

  name(index) {
    const body = this.items[index];
    return `${this.colour(body)} ${bodyWord(body)}`;
  }

  /** What the player of this puzzle is told to do. */
  get goalSentence() {
    const [one, other] = [this.goal.first, this.goal.second].map(
      (body) => body && this.name(this.items.indexOf(body)),
    );
    return one && other
      ? `Make sure the ${one} is touching the ${other}.`
      : "Select a body and make it the first or the second of the goal.";
  }

  add(tool) {
    const made =
      FORMS[tool]?.make(FORMS[tool].size) ?? free([{ polygon: FREE_POLYGONS[tool].corners }]);
    const kind = tool in FORMS ? tool : "undefined";
    // Each a little further, so that new bodies do not hide each other.
    const position = [48 + ((this.items.length * 67) % 160), 96 + ((this.items.length * 41) % 120)];
    this.items.push({
      ...made,
      kind,
      dynamic: kind === "ball",
      position,
      angle: 0,
      color: "black",
    });
    return this.items.length - 1;
  }

  remove(index) {
    const [gone] = this.items.splice(index, 1);
    for (const role of ["first", "second"])
      if (this.goal[role] === gone) this.goal[role] = undefined;
  }

  /** The topmost item under a point, or -1. */
  hit(point, slack) {
    return this.items.findLastIndex((body) => bodyHas(body, point, slack));
  }

  move(index, dx, dy) {
    const { position } = this.items[index];
    position[0] = bound(position[0] + dx, 0, SIZE);
    position[1] = bound(position[1] + dy, 0, SIZE);
  }

  turn(index, degrees) {
    this.items[index].angle += (degrees / 180) * Math.PI;
  }

  grow(index, by) {
    this.resize(index, this.measure(index) + by);
  }

  /** The handles of an item. */
  handles(index) {
    const body = this.items[index];
    const at = ([x, y]) => {
      const [cos, sin] = [Math.cos(body.angle), Math.sin(body.angle)];
      return { x: body.position[0] + x * cos - y * sin, y: body.position[1] + x * sin + y * cos };
    };
    const pull = { name: "size", ...at(this.grip(body)) };
    return body.kind === "ball" ? [pull] : [pull, { name: "turn", ...at([0, this.reach(body)]) }];
  }

  drag(index, handle, point) {
    const body = this.items[index];
    if (handle === "turn") {
      const angle =
        Math.atan2(point.y - body.position[1], point.x - body.position[0]) - Math.PI / 2;
      body.angle = (snap((angle * 180) / Math.PI) / 180) * Math.PI;
      return;
    }
    const [x, y] = intoBody(point.x, point.y, body);
    this.resize(index, formOf(body)?.pull(x, y) ?? Math.hypot(x, y));
  }

  fields(index) {
    const body = this.items[index];
    const degrees = Math.round((body.angle * 1800) / Math.PI) / 10;
    return [
      ["x", body.position[0], (v) => (body.position[0] = bound(v, 0, SIZE))],
      ["y", body.position[1], (v) => (body.position[1] = bound(v, 0, SIZE))],
      [
        formOf(body) ? SIZE_WORDS[body.kind] : "Size",
        this.measure(index),
        (v) => this.resize(index, v),
      ],
      ...(body.kind === "ball"
        ? []
        : [["Angle", degrees, (v) => (body.angle = (v / 180) * Math.PI)]]),
    ];
  }

  /** The choices for an item: name, options, the current one, and a function that sets it. */
  choices(index) {
    const body = this.items[index];
    const role = body === this.goal.first ? "first" : body === this.goal.second ? "second" : "";
    return [
      [
        "Motion",
        [
          ["static", "Fixed"],
          ["dynamic", "Movable"],
        ],
        body.dynamic ? "dynamic" : "static",
        (value) => (body.dynamic = value === "dynamic"),
      ],
      [
        "Goal",
        [
          ["", "No"],
          ["first", "First"],
          ["second", "Second"],
        ],
        role,
        (value) => {
          if (role) this.goal[role] = undefined;
          if (value) this.goal[value] = body;
        },
      ],
    ];
  }

  paint(ctx, colours, selected, unit) {
    paintScene(
      ctx,
      this.items.map((body) => ({ ...body, color: this.colour(body) })),
    );
    if (selected < 0) return;
    ctx.save();
    trace(ctx, this.items[selected], startPose(this.items[selected]));
    ctx.lineWidth = 2 * unit;
    ctx.strokeStyle = colours.phyre.red;
    ctx.stroke();
    ctx.restore();
  }

  measure(index) {
    const body = this.items[index];
    return formOf(body)?.measure(body) ?? Math.hypot(...corner(body));
  }

  resize(index, size) {
    const body = this.items[index];
    const form = formOf(body);
    if (form) {
      Object.assign(body, form.make(bound(Math.round(size * 2) / 2, form.least, form.most)));
    } else {
      const factor = bound(size, 8, 150) / Math.hypot(...corner(body));
      Object.assign(body, free(body.shapes.map((shape) => scaled(shape, factor))));
    }
  }

  grip(body) {
    const form = formOf(body);
    return form ? form.handle(form.measure(body)) : corner(body);
  }

  reach(body) {
    const heights = body.shapes.flatMap(
      (shape) => shape.polygon?.map(([, y]) => y) ?? [shape.circle],
    );
    return Math.max(...heights) + 14;
  }
}

const SIZE_WORDS = { ball: "Radius", bar: "Length", jar: "Height", standing_sticks: "Length" };

/** The name of a shape: free polygons keep theirs by their corners. */
function bodyWord({ kind, shapes }) {
  if (kind !== "undefined") return kind.replace("_", " ");
  const corners = shapes.length === 1 ? shapes[0].polygon?.length : 0;
  return { 3: "wedge", 4: "box" }[corners] ?? "polygon";
}

/** The form by which a body is resized, if it is of a known kind and has its measures. */
function formOf(body) {
  const form = FORMS[body.kind];
  return form?.measure(body) > 0 ? form : undefined;
}

/** The corner of a free polygon that is pulled. */
function corner({ shapes }) {
  const [first] = shapes;
  return first.polygon?.[0] ?? [first.circle, 0];
}

/** @param {import("../canvas/phyre_scene.js").Shape} shape */
function scaled({ circle, polygon }, factor) {
  if (circle) return { circle: circle * factor };
  return { polygon: polygon.map(([x, y]) => [x * factor, y * factor]) };
}

function free(shapes) {
  const reaches = shapes.flatMap(
    ({ circle, polygon }) => polygon?.map((point) => Math.hypot(...point)) ?? [circle],
  );
  return { shapes, diameter: 2 * Math.max(...reaches) };
}

/** Walls lie outside the scene. */
function isWall({ dynamic, shapes, position: [x, y] }) {
  return !dynamic && !shapes[0].circle && (x < 0 || y < 0 || x > SIZE || y > SIZE);
}

function bound(value, least, most) {
  return Math.min(Math.max(value, least), most);
}

function snap(degrees) {
  const near = Math.round(degrees / 15) * 15;
  return Math.abs(degrees - near) < SNAP ? near : Math.round(degrees);
}
