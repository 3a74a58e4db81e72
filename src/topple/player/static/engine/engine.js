// Both engines in WebAssembly: the same bits as on the server. It runs in a page, in a worker and in
// Node, needs no other file, and everything after loading is synchronous.

import { IphyreEngine } from "./iphyre.js";
import { Memory } from "./memory.js";
import { PhyreEngine } from "./phyre.js";

export { SceneError } from "./phyre.js";

/** @typedef {{ phyre: PhyreEngine, iphyre: IphyreEngine }} Engine */

/**
 * Load the module topple.wasm, compressed by gzip or not.
 * @param {BufferSource | Response | WebAssembly.Module | Promise<any>} source
 * @returns {Promise<Engine>}
 */
export async function loadEngine(source) {
  const given = await source;
  const module =
    given instanceof WebAssembly.Module ? given : await WebAssembly.compile(await unpack(given));
  const { exports } = await WebAssembly.instantiate(module, {});
  const memory = new Memory(exports);
  return { phyre: new PhyreEngine(memory), iphyre: new IphyreEngine(memory) };
}

/**
 * Bytes, decompressed if they are gzip.
 * @param {BufferSource | Response} source
 * @returns {Promise<Uint8Array>}
 */
export async function unpack(source) {
  if (typeof Response !== "undefined" && source instanceof Response) {
    if (!source.ok) throw new Error(`${source.url} cannot be read: status ${source.status}.`);
    source = await source.arrayBuffer();
  }
  const bytes = ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
