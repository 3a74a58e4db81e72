// MP4 files: the browser encodes the frames, and this writes the boxes around them.

const CODECS = ["avc1.42001f", "vp09.00.31.08"]; // H.264, which every program plays; else VP9
const KEY_EVERY = 40; // frames
const BITS = 2_500_000; // a second

const u8 = (...values) => Uint8Array.from(values);
const numbers = (bytes, values) => {
  const view = new DataView(new ArrayBuffer(bytes * values.length));
  values.forEach((value, k) => (bytes === 2 ? view.setUint16(2 * k, value) : view.setUint32(4 * k, value)));
  return new Uint8Array(view.buffer);
};
const u16 = (...values) => numbers(2, values);
const u32 = (...values) => numbers(4, values);
const ascii = (text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const zeros = (length) => new Uint8Array(length);
const UNITY = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000); // the matrix that changes nothing

/** @param {Uint8Array[]} parts */
function join(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const box = (name, ...parts) => {
  const inner = join(parts);
  return join([u32(inner.length + 8), ascii(name), inner]);
};
const versioned = (name, flags, ...parts) => box(name, u32(flags), ...parts);

/**
 * The file of some encoded frames.
 * @param {{ size: number, fps: number, hold: number }} film
 * @param {{ data: Uint8Array, key: boolean }[]} samples
 * @param {Uint8Array | null} description that H.264 has for its decoder
 */
function file({ size, fps, hold }, samples, description) {
  const last = 1 + Math.round(hold * fps); // frames that the last one stays for
  const length = samples.length - 1 + last;
  const keys = samples.flatMap(({ key }, k) => (key ? [k + 1] : []));
  // VP9: profile 0, level 3.1, 8 bits, 4:2:0, colours as on screens.
  const decoder = description
    ? box("avcC", description)
    : versioned("vpcC", 1 << 24, u8(0, 31, 0x82, 1, 13, 1, 0, 0));
  const entry = box(
    description ? "avc1" : "vp09",
    zeros(6),
    u16(1),
    zeros(16),
    u16(size, size),
    u32(0x480000, 0x480000, 0),
    u16(1),
    zeros(32),
    u16(24, 0xffff),
    decoder,
  );
  const moov = (start) =>
    box(
      "moov",
      versioned("mvhd", 0, u32(0, 0, fps, length, 0x10000), u16(0x100), zeros(10), UNITY, zeros(24), u32(2)),
      box(
        "trak",
        versioned("tkhd", 3, u32(0, 0, 1, 0, length), zeros(16), UNITY, u32(size << 16, size << 16)),
        box(
          "mdia",
          versioned("mdhd", 0, u32(0, 0, fps, length), u16(0x55c4, 0)),
          versioned("hdlr", 0, u32(0), ascii("vide"), zeros(13)),
          box(
            "minf",
            versioned("vmhd", 1, zeros(8)),
            box("dinf", versioned("dref", 0, u32(1), versioned("url ", 1))),
            box(
              "stbl",
              versioned("stsd", 0, u32(1), entry),
              samples.length > 1
                ? versioned("stts", 0, u32(2, samples.length - 1, 1, 1, last))
                : versioned("stts", 0, u32(1, 1, last)),
              versioned("stss", 0, u32(keys.length, ...keys)),
              versioned("stsc", 0, u32(1, 1, samples.length, 1)),
              versioned("stsz", 0, u32(0, samples.length, ...samples.map(({ data }) => data.length))),
              versioned("stco", 0, u32(1, start)),
            ),
          ),
        ),
      ),
    );
  const ftyp = box("ftyp", ascii("isom"), u32(512), ascii("isomiso2mp41"));
  const start = ftyp.length + moov(0).length + 8;
  const media = samples.map(({ data }) => data);
  return new Blob([ftyp, moov(start), box("mdat", ...media)], { type: "video/mp4" });
}

/** A setting that this browser's encoder takes, or null. */
async function settingsFor({ size, fps }) {
  for (const codec of CODECS) {
    const config = {
      codec,
      width: size,
      height: size,
      framerate: fps,
      bitrate: BITS,
      ...(codec.startsWith("avc") && { avc: { format: /** @type {const} */ ("avc") } }),
    };
    if ((await VideoEncoder.isConfigSupported(config)).supported) return config;
  }
  return null;
}

/**
 * An MP4.
 * @param {import("./film.js").Frames} frames
 * @returns {Promise<Blob>}
 */
export async function mp4(frames, onprogress) {
  const settings = await settingsFor(frames);
  if (!settings) throw new Error("This browser has no encoder of videos; take the GIF.");
  const samples = [];
  let description = null;
  let failed = null;
  const encoder = new VideoEncoder({
    output: (chunk, metadata) => {
      const given = metadata?.decoderConfig?.description;
      if (given)
        description = new Uint8Array(given.buffer ?? given, given.byteOffset ?? 0, given.byteLength);
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      samples.push({ data, key: chunk.type === "key" });
    },
    error: (error) => (failed = error),
  });
  encoder.configure(settings);
  for (let k = 0; k < frames.count && !failed; k++) {
    const timestamp = Math.round((1e6 * k) / frames.fps); // microseconds
    const frame = new VideoFrame(frames.draw(k), { timestamp });
    encoder.encode(frame, { keyFrame: k % KEY_EVERY === 0 });
    frame.close();
    await onprogress(k / frames.count);
  }
  await encoder.flush().catch((error) => (failed ??= error));
  encoder.close();
  if (failed) throw failed;
  return file(frames, samples, description);
}
