import { createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../contract/errors.ts';

/** Bytes of the seal: enough that no cursor can be guessed. */
const SEAL_BYTES = 12;

/** Values of a row's sort columns, as JSON has them. */
export type CursorValues = readonly string[];

/**
 * Opaque positions in one list (WIRE 5). A cursor carries the sort values themselves, so it outlives its row, and is
 * sealed together with the list's name and filters: any change to it, or its use with another list, is refused.
 */
export class CursorCodec {
  readonly #secret: string;
  readonly #list: string;

  constructor(secret: string, list: readonly unknown[]) {
    this.#secret = secret;
    this.#list = JSON.stringify(list);
  }

  encode(values: CursorValues): string {
    const body = Buffer.from(JSON.stringify(values));
    return Buffer.concat([this.#seal(body), body]).toString('base64url');
  }

  /** @throws {ServiceError} invalid_cursor */
  decode(cursor: string, argument: string): CursorValues {
    const bytes = Buffer.from(cursor, 'base64url');
    const body = bytes.subarray(SEAL_BYTES);
    // Re-encoding catches characters that base64url ignores.
    const genuine =
      bytes.length > SEAL_BYTES &&
      bytes.toString('base64url') === cursor &&
      timingSafeEqual(bytes.subarray(0, SEAL_BYTES), this.#seal(body));
    if (!genuine) {
      throw new ServiceError(
        'invalid_cursor',
        '{param} is not a cursor of this list with these filters. Leave it out to start from the beginning.',
        { param: [argument] },
      );
    }
    return JSON.parse(body.toString()) as CursorValues;
  }

  #seal(body: Buffer): Buffer {
    return createHmac('sha256', this.#secret)
      .update('cursor\0')
      .update(this.#list)
      .update('\0')
      .update(body)
      .digest()
      .subarray(0, SEAL_BYTES);
  }
}
