import type { Share } from './unfinished-bodies.ts';

interface BodyLimit {
  readonly limit: number;
  tooLarge(): Error;
}

const FIRST_BYTES = 16 * 1024;
const LARGEST_STEP = 1024 * 1024;

/**
 * Collects the bytes of a body. Its memory counts as unfinished, and is at most twice the bytes that arrived, even if each
 * arrives in a piece of its own. It grows in place and is freed at once: the garbage of copies would be many times the bodies.
 */
export class BodyBuffer {
  readonly #share: Share;
  readonly #limit: BodyLimit;
  #memory: ArrayBuffer | undefined;
  #whole: Buffer | undefined;
  #size = 0;
  #expected: number | undefined;

  constructor(share: Share, limit: BodyLimit) {
    this.#share = share;
    this.#limit = limit;
  }

  /** Expects this many bytes. Called before anything is read. @throws {ServiceError} payload_too_large */
  expect(length: number | undefined): void {
    this.#requireRoom(length ?? 0);
    this.#expected = length;
  }

  /** @throws {ServiceError} payload_too_large, rate_limited, unavailable */
  add(piece: Buffer): void {
    const size = this.#size + piece.length;
    this.#requireRoom(size);
    if (size === this.#expected && this.#size === 0) this.#keep(piece);
    else new Uint8Array(this.#roomFor(size)).set(piece, this.#size);
    this.#size = size;
  }

  /** How many bytes arrived so far, also after `free`. */
  get size(): number {
    return this.#size;
  }

  /** The bytes so far. They are gone after `free`. */
  content(): Buffer {
    return this.#whole ?? (this.#memory ? Buffer.from(this.#memory, 0, this.#size) : Buffer.alloc(0));
  }

  /** Returns the memory to the system. No other thread may read it. */
  free(): void {
    this.#memory?.resize(0);
    this.#whole = undefined;
  }

  #requireRoom(length: number): void {
    if (length > this.#limit.limit) throw this.#limit.tooLarge();
  }

  /** The whole body arrived at once. */
  #keep(piece: Buffer): void {
    this.#share.take(piece.length);
    this.#whole = piece;
  }

  #roomFor(size: number): ArrayBuffer {
    const most = this.#expected ?? this.#limit.limit;
    this.#memory ??= new ArrayBuffer(0, { maxByteLength: most });
    const { byteLength } = this.#memory;
    if (size <= byteLength) return this.#memory;
    const step = Math.min(Math.max(byteLength, FIRST_BYTES), LARGEST_STEP);
    const grown = Math.min(Math.max(size, byteLength + step), most);
    this.#share.take(grown - byteLength);
    this.#memory.resize(grown);
    return this.#memory;
  }
}
