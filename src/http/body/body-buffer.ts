import type { Share } from './unfinished-bodies.ts';

interface BodyLimit {
  readonly limit: number;
  tooLarge(): Error;
}

const FIRST_BYTES = 16 * 1024;

/**
 * Collects the bytes of a body. Its memory is at most twice the bytes that arrived, also if each arrives in a piece of its
 * own, and counts as unfinished.
 */
export class BodyBuffer {
  readonly #share: Share;
  readonly #limit: BodyLimit;
  #bytes: Buffer = Buffer.alloc(0);
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
    else this.#append(piece, size);
    this.#size = size;
  }

  content(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  #requireRoom(length: number): void {
    if (length > this.#limit.limit) throw this.#limit.tooLarge();
  }

  /** The whole body arrived at once. */
  #keep(piece: Buffer): void {
    this.#share.take(piece.length);
    this.#bytes = piece;
  }

  #append(piece: Buffer, size: number): void {
    if (size > this.#bytes.length) this.#grow(size);
    piece.copy(this.#bytes, this.#size);
  }

  #grow(least: number): void {
    const wanted = Math.max(least, this.#bytes.length * 2, FIRST_BYTES);
    const capacity = Math.max(least, Math.min(wanted, this.#expected ?? this.#limit.limit));
    this.#share.take(capacity - this.#bytes.length);
    const grown = Buffer.allocUnsafeSlow(capacity);
    this.#bytes.copy(grown, 0, 0, this.#size);
    this.#bytes = grown;
  }
}
