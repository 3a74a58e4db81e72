// Arrays in the memory of the module, which hands none out by itself.

const TYPES = {
  int8_t: Int8Array,
  uint8_t: Uint8Array,
  int32_t: Int32Array,
  int64_t: BigInt64Array,
  float: Float32Array,
  double: Float64Array,
  ContactEvent: Int32Array, // of words, CONTACT of them each
};
const ALIGNMENT = 16; // bytes
const PAGE = 65536; // bytes that the memory grows by

/** The functions of the module, and its memory: a stack of arrays above what lasts. */
export class Memory {
  #top;
  #scopes = 0;

  /** @param {any} functions the module's exports */
  constructor(functions) {
    this.functions = functions;
    this.#top = functions.__heap_base.value;
  }

  /** A text of the module, which ends with a zero. */
  text(address) {
    const bytes = new Uint8Array(this.functions.memory.buffer, address);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  /**
   * Let a function use arrays of the module, which are gone when it returns.
   * @template T
   * @param {() => T} use
   * @returns {T}
   */
  scope(use) {
    const top = this.#top;
    this.#scopes += 1;
    try {
      return use();
    } finally {
      this.#top = top;
      this.#scopes -= 1;
    }
  }

  /** The address of so many bytes that last. */
  keep(bytes) {
    if (this.#scopes > 0) throw new Error("What lasts is not allocated within a scope.");
    return this.#allocate(bytes);
  }

  /** The address of so many zeros. */
  zeros(type, length) {
    const address = this.#allocate(length * TYPES[type].BYTES_PER_ELEMENT);
    this.view(type, address, length).fill(type === "int64_t" ? 0n : 0);
    return address;
  }

  /** The address of a copy of some numbers. */
  copy(type, values) {
    const address = this.#allocate(values.length * TYPES[type].BYTES_PER_ELEMENT);
    this.view(type, address, values.length).set(values);
    return address;
  }

  /** A copy of the array at an address. */
  read(type, address, length) {
    return this.view(type, address, length).slice();
  }

  /** The array at an address, until more memory is needed. */
  view(type, address, length) {
    return new TYPES[type](this.functions.memory.buffer, address, length);
  }

  #allocate(bytes) {
    const address = Math.ceil(this.#top / ALIGNMENT) * ALIGNMENT;
    const { memory } = this.functions;
    const missing = address + bytes - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    this.#top = address + bytes;
    return address;
  }
}
