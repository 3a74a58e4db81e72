// Arrays in the memory of the module.

const TYPES = {
  int8_t: Int8Array,
  uint8_t: Uint8Array,
  int32_t: Int32Array,
  int64_t: BigInt64Array,
  float: Float32Array,
  double: Float64Array,
};

/** What numbers of a type of C are in JavaScript. */
export const arrayType = (type) => TYPES[type];

/** The functions of the module, and arrays that last as long as one call of them. */
export class Memory {
  /** @param {any} functions the module's exports */
  constructor(functions) {
    this.functions = functions;
  }

  /** A text of the module, which ends with a zero. */
  text(address) {
    const bytes = new Uint8Array(this.functions.memory.buffer, address);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  /**
   * Let a function use arrays of the module, and release them when it returns.
   * @template T
   * @param {(scope: Scope) => T} use
   * @returns {T}
   */
  scope(use) {
    const scope = new Scope(this.functions);
    try {
      return use(scope);
    } finally {
      scope.release();
    }
  }
}

/** Arrays of one call: addresses to give to the module, and what lies there afterwards. */
class Scope {
  #functions;
  #addresses = [];

  constructor(functions) {
    this.#functions = functions;
  }

  /** The address of so many zeros. */
  zeros(type, length) {
    const bytes = Math.max(1, length * TYPES[type].BYTES_PER_ELEMENT);
    const address = this.#functions.allocate(bytes) >>> 0;
    if (address === 0) throw new RangeError(`There is no memory for ${bytes} bytes.`);
    this.#addresses.push(address);
    new Uint8Array(this.#functions.memory.buffer, address, bytes).fill(0);
    return address;
  }

  /** The address of a copy of some numbers. */
  copy(type, values) {
    const address = this.zeros(type, values.length);
    this.view(type, address, values.length).set(values);
    return address;
  }

  /** The array at an address, until the module asks for more memory. */
  view(type, address, length) {
    return new TYPES[type](this.#functions.memory.buffer, address, length);
  }

  /** A copy of the array at an address, which lasts. */
  read(type, address, length) {
    return this.view(type, address, length).slice();
  }

  release() {
    for (const address of this.#addresses) this.#functions.release(address);
  }
}
