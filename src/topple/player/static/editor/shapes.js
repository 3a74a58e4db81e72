// The shapes of PHYRE as functions of one length, for the editor. Pixels, y up.

const BAR_HEIGHT = 256 / 50;
const STICKS_TILT = (77.5 / 180) * Math.PI;
const JAR_DIAGONAL = 1.25; // diameter of a jar per height

/**
 * @typedef {object} Form the way a kind of body is made and resized
 * @property {string} word
 * @property {number} size of a new one
 * @property {number} least
 * @property {number} most
 * @property {(size: number) => { shapes: any[], diameter: number }} make
 * @property {(body: any) => number} measure the size of a body that was loaded
 * @property {(size: number) => [number, number]} handle where to pull, in the frame of the body
 * @property {(x: number, y: number) => number} pull the size for a pulled handle
 */

const rectangle = (w, h) => ({
  polygon: [
    [w / 2, h / 2],
    [-w / 2, h / 2],
    [-w / 2, -h / 2],
    [w / 2, -h / 2],
  ],
});

/** @type {Record<string, Form>} */
export const FORMS = {
  ball: {
    word: "Ball",
    size: 12.5,
    least: 2.5,
    most: 80,
    make: (r) => ({ shapes: [{ circle: r }], diameter: 2 * r }),
    measure: (body) => body.shapes[0].circle,
    handle: (r) => [r, 0],
    pull: (x, y) => Math.hypot(x, y),
  },
  bar: {
    word: "Bar",
    size: 80,
    least: 8,
    most: 512,
    make: (w) => ({ shapes: [rectangle(w, BAR_HEIGHT)], diameter: Math.hypot(w, BAR_HEIGHT) }),
    measure: (body) => 2 * body.shapes[0].polygon[0][0],
    handle: (w) => [w / 2, 0],
    pull: (x) => 2 * Math.abs(x),
  },
  jar: {
    word: "Jar",
    size: 52,
    least: 16,
    most: 140,
    make: (height) => ({ shapes: jarShapes(height), diameter: JAR_DIAGONAL * height }),
    measure: (body) => body.diameter / JAR_DIAGONAL,
    handle: (height) => [height / 2.4, height],
    pull: (_, y) => y,
  },
  standing_sticks: {
    word: "Sticks",
    size: 72,
    least: 20,
    most: 200,
    make: (w) => ({
      shapes: [stick(w, -STICKS_TILT), stick(w, STICKS_TILT)],
      diameter: Math.hypot(w, BAR_HEIGHT),
    }),
    measure: (body) => Math.sqrt(Math.max(body.diameter ** 2 - BAR_HEIGHT ** 2, 1)),
    handle: (w) => [0, w / 3],
    pull: (_, y) => 3 * y,
  },
};

/** Free polygons, which are resized by pulling their first corner. */
export const FREE_POLYGONS = {
  box: {
    word: "Box",
    corners: [
      [18, 18],
      [-18, 18],
      [-18, -18],
      [18, -18],
    ],
  },
  wedge: {
    word: "Wedge",
    corners: [
      [40, -14],
      [-20, 28],
      [-20, -14],
    ],
  },
};

function stick(width, angle) {
  const [x, y, cos, sin] = [width / 3, BAR_HEIGHT / 3, Math.cos(angle), Math.sin(angle)];
  const corners = [
    [x, y],
    [-x, y],
    [-x, -y],
    [x, -y],
  ];
  return { polygon: corners.map(([u, v]) => [cos * u - sin * v, cos * v + sin * u]) };
}

/** A floor and two sides that lean outwards; the walls get thicker with the logarithm of the height. */
function jarShapes(height) {
  const width = height / 1.2;
  const thick = (Math.log(height) / Math.log(0.3 * 256)) * BAR_HEIGHT;
  const floor = 0.8 * width;
  const lean = (width - floor) / 2;
  const slant = Math.hypot(height, lean);
  const [cos, sin] = [lean / slant, height / slant];
  const [bottom, top] = [-thick / 2, height - thick / 2];
  const side = (s) => [
    [(s * width) / 2, top],
    [s * (width / 2 - thick / sin), top],
    [s * (floor / 2 - thick * sin), bottom + thick * cos],
    [(s * floor) / 2, bottom],
  ];
  return [rectangle(floor, thick), { polygon: side(-1).reverse() }, { polygon: side(1) }];
}
