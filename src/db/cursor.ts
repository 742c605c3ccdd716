import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../contract/errors.ts';

/** 12 bytes are enough that no signature can be guessed. */
const SIGNATURE_BYTES = 12;

const NOT_OF_LIST =
  '{param} is not a cursor of this list with these filters. Leave it out to start from the beginning.';

/** Browsers send the cursor of a feed in a header. */
const NOT_OF_FEED =
  '{param}, or the header Last-Event-ID, is not a cursor of this feed with these filters. Without a cursor the feed starts now.';

/** The values of the sort columns of a row, as text. */
export type CursorValues = readonly string[];

/**
 * Encodes positions in one list or feed as opaque cursors. A cursor contains the sort values, so it stays valid if its
 * row is deleted. Its signature covers the list's name and filters: a changed cursor, or one of another list, is rejected.
 */
export class CursorCodec {
  readonly #secret: KeyObject;
  readonly #list: string;

  constructor(secret: string, list: readonly unknown[]) {
    this.#secret = keyOf(secret);
    this.#list = JSON.stringify(list);
  }

  encode(values: CursorValues): string {
    const body = Buffer.from(JSON.stringify(values));
    return Buffer.concat([this.#sign(body), body]).toString('base64url');
  }

  /** @throws {ServiceError} invalid_cursor */
  decode(cursor: string, argument: string): CursorValues {
    return this.#decode(cursor, argument, NOT_OF_LIST);
  }

  /** Decodes the cursor after which a feed continues. @throws {ServiceError} invalid_cursor */
  decodeOfFeed(cursor: string): CursorValues {
    return this.#decode(cursor, 'after', NOT_OF_FEED);
  }

  #decode(cursor: string, argument: string, message: string): CursorValues {
    const bytes = Buffer.from(cursor, 'base64url');
    const body = bytes.subarray(SIGNATURE_BYTES);
    // Re-encoding catches characters that base64url ignores.
    const isValid =
      bytes.length > SIGNATURE_BYTES &&
      bytes.toString('base64url') === cursor &&
      timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), this.#sign(body));
    if (!isValid) throw new ServiceError('invalid_cursor', message, { param: [argument] });
    return JSON.parse(body.toString()) as CursorValues;
  }

  #sign(body: Buffer): Buffer {
    return createHmac('sha256', this.#secret)
      .update(`cursor\0${this.#list}\0`)
      .update(body)
      .digest()
      .subarray(0, SIGNATURE_BYTES);
  }
}

/** The key of the latest secret: a service has one, and each list would import it again. */
let latest: { readonly secret: string; readonly key: KeyObject } | undefined;

function keyOf(secret: string): KeyObject {
  if (latest?.secret !== secret) latest = { secret, key: createSecretKey(Buffer.from(secret)) };
  return latest.key;
}
