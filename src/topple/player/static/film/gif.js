// GIF files: one palette for all frames, and of each frame only the rectangle that has changed.

const COLOURS = 255; // and one number for what has not changed
const SAMPLES = 24; // frames that the palette is taken from

/** Bytes that are written one after the other. */
class Bytes {
  #data = new Uint8Array(1 << 16);
  #length = 0;

  /** @param {number} value */
  byte(value) {
    if (this.#length === this.#data.length) {
      const larger = new Uint8Array(2 * this.#length);
      larger.set(this.#data);
      this.#data = larger;
    }
    this.#data[this.#length++] = value;
  }

  /** @param {number[]} values */
  bytes(...values) {
    for (const value of values) this.byte(value);
  }

  /** Numbers of two bytes, the lower one first. @param {number[]} values */
  words(...values) {
    for (const value of values) this.bytes(value & 255, value >> 8);
  }

  text(text) {
    for (const letter of text) this.byte(letter.charCodeAt(0));
  }

  get all() {
    return this.#data.subarray(0, this.#length);
  }
}

/** Colours that occur most often, as 0xBBGGRR. @param {Iterable<Uint32Array>} pictures */
function commonColours(pictures) {
  const counts = new Map();
  for (const picture of pictures)
    for (const pixel of picture) counts.set(pixel & 0xffffff, (counts.get(pixel & 0xffffff) ?? 0) + 1);
  const order = [...counts].sort(([, a], [, b]) => b - a);
  return order.slice(0, COLOURS).map(([colour]) => colour);
}

/** A function from colours to the numbers of the nearest ones in a palette. */
function nearest(palette) {
  const known = new Map(palette.map((colour, number) => [colour, number]));
  const parts = (colour) => [colour & 255, (colour >> 8) & 255, colour >> 16];
  const table = palette.map(parts);
  return (pixel) => {
    const colour = pixel & 0xffffff;
    let found = known.get(colour);
    if (found === undefined) {
      const [r, g, b] = parts(colour);
      const apart = table.map(([x, y, z]) => (x - r) ** 2 + (y - g) ** 2 + (z - b) ** 2);
      found = apart.indexOf(Math.min(...apart));
      known.set(colour, found);
    }
    return found;
  };
}

/** Write numbers of eight bits by the compression of GIF, which is that of Lempel, Ziv and Welch. */
function compress(out, numbers) {
  const WIDTH = 8;
  const [CLEAR, END, MOST] = [1 << WIDTH, (1 << WIDTH) + 1, 4096];
  const block = /** @type {number[]} */ ([]);
  let [bits, count] = [0, 0]; // that are not yet a byte
  let width = WIDTH + 1;
  const flush = () => {
    if (block.length) out.bytes(block.length, ...block);
    block.length = 0;
  };
  const write = (code) => {
    bits |= code << count;
    count += width;
    while (count >= 8) {
      block.push(bits & 255);
      bits >>>= 8;
      count -= 8;
      if (block.length === 255) flush();
    }
  };
  let table = new Map();
  let next = END + 1;
  out.byte(WIDTH);
  write(CLEAR);
  let before = numbers[0];
  for (let i = 1; i < numbers.length; i++) {
    const key = (before << 8) | numbers[i];
    const known = table.get(key);
    if (known !== undefined) {
      before = known;
      continue;
    }
    write(before);
    if (next < MOST) {
      // The reader learns a code one step later, so codes grow when this one is passed.
      if (next === 1 << width) width += 1;
      table.set(key, next++);
    } else {
      write(CLEAR);
      table = new Map();
      [next, width] = [END + 1, WIDTH + 1];
    }
    before = numbers[i];
  }
  write(before);
  write(END);
  if (count) block.push(bits & 255);
  flush();
  out.byte(0);
}

/** Which rectangle of a picture differs from the one before; null if none. */
function changed(picture, last, size) {
  let [left, right, top, bottom] = [size, -1, size, -1];
  for (let at = 0, y = 0; y < size; y++)
    for (let x = 0; x < size; x++, at++)
      if (picture[at] !== last[at]) {
        if (x < left) left = x;
        if (x > right) right = x;
        if (y < top) top = y;
        bottom = y;
      }
  return bottom < 0 ? null : { left, top, width: right - left + 1, height: bottom - top + 1 };
}

/**
 * A GIF that repeats.
 * @param {import("./film.js").Frames} frames
 * @returns {Promise<Blob>}
 */
export async function gif({ size, fps, count, picture, hold }, onprogress) {
  const out = new Bytes();
  const pause = Math.round(100 / fps); // hundredths of a second
  const step = Math.max(1, Math.floor(count / SAMPLES));
  const sampled = Array.from({ length: Math.ceil(count / step) }, (_, k) => picture(k * step));
  const palette = commonColours(sampled);
  const numberOf = nearest(palette);
  out.text("GIF89a");
  out.words(size, size);
  out.bytes(0b11110111, 0, 0); // a palette of 256 colours
  for (let k = 0; k <= COLOURS; k++) {
    const colour = palette[k] ?? 0;
    out.bytes(colour & 255, (colour >> 8) & 255, colour >> 16);
  }
  out.bytes(0x21, 0xff, 11);
  out.text("NETSCAPE2.0");
  out.bytes(3, 1, 0, 0, 0); // for ever

  const whole = { left: 0, top: 0, width: size, height: size };
  const write = ({ box, numbers }, duration) => {
    out.bytes(0x21, 0xf9, 4, 0b00000101); // it stays, and one colour is transparent
    out.words(duration);
    out.bytes(COLOURS, 0, 0x2c);
    out.words(box.left, box.top, box.width, box.height);
    out.byte(0);
    compress(out, numbers);
  };
  let last = picture(0);
  let waiting = { box: whole, numbers: Uint8Array.from(last, numberOf) };
  let duration = pause;
  for (let k = 1; k < count; k++) {
    const now = picture(k);
    const box = changed(now, last, size);
    if (!box) {
      duration += pause;
      continue;
    }
    write(waiting, duration);
    const numbers = new Uint8Array(box.width * box.height).fill(COLOURS);
    for (let y = 0, to = 0; y < box.height; y++) {
      let at = (box.top + y) * size + box.left;
      for (let x = 0; x < box.width; x++, at++, to++)
        if (now[at] !== last[at]) numbers[to] = numberOf(now[at]);
    }
    [waiting, duration, last] = [{ box, numbers }, pause, now];
    await onprogress(k / count);
  }
  write(waiting, duration + Math.round(100 * hold));
  out.byte(0x3b);
  return new Blob([out.all], { type: "image/gif" });
}
