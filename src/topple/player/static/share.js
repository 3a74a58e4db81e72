// Links that hold a whole puzzle, so that it can be shared without a server.
import { api, ApiError } from "./api.js";
import { absoluteLink, pageLink } from "./router.js";

const MOST_LETTERS = 60_000; // of a puzzle in a link
const MOST_BYTES = 256 * 1024; // of its JSON; a few letters can be made to unpack to gigabytes
const DAMAGED = "This link holds no puzzle. It may have been cut off on its way.";

/** The full address of a page, for sharing. Without a server, a puzzle of one's own is part of it. */
export async function shareLink(hash) {
  const [, id] = /\/own:([a-z0-9]+)/.exec(hash) ?? [];
  if (!id || !api.local) return absoluteLink(hash);
  const { name, benchmark, tier, data } = await api.get(`puzzles/${id}`);
  const puzzle = await pack({ name, benchmark, tier, data });
  return absoluteLink(`${hash}${hash.includes("?") ? "&" : "?"}puzzle=${puzzle}`);
}

/**
 * The parameters of a page whose link may hold a puzzle: it is checked and stored, and stands in
 * place of the one that the link names.
 * @param {import("./router.js").Parameters} at
 */
export async function withPuzzle({ parts, query, ...rest }) {
  const text = query.get("puzzle");
  if (!text) return { parts, query, ...rest };
  const { subject, benchmark } = await api.adopt(await unpack(text));
  query.delete("puzzle");
  const [named, ...others] = parts;
  if (subject !== named) {
    // A server has stored a copy, which a reload need not repeat.
    const replay = location.hash.startsWith("#/replay/") ? ["replay"] : [];
    const search = query.size ? `?${query}` : "";
    history.replaceState(null, "", pageLink(...replay, benchmark, subject) + search);
  }
  return { parts: [subject, ...others], query, ...rest };
}

/** A puzzle as text: JSON, deflated, in the letters that links may have. */
async function pack(puzzle) {
  const stream = new Blob([JSON.stringify(puzzle)]).stream();
  const packed = await new Response(
    stream.pipeThrough(new CompressionStream("deflate-raw")),
  ).arrayBuffer();
  const letters = Array.from(new Uint8Array(packed), (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpack(text) {
  if (text.length > MOST_LETTERS || !/^[\w-]+$/.test(text)) throw new ApiError(422, DAMAGED);
  try {
    const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    return JSON.parse(await readText(new Blob([bytes]).stream()));
  } catch {
    throw new ApiError(422, DAMAGED);
  }
}

/** Inflate a text, but not more of it than a puzzle may have. */
async function readText(packed) {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  const reader = packed.pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > MOST_BYTES) {
      await reader.cancel();
      throw new RangeError("too long");
    }
  }
}
