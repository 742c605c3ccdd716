import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const FORMAT = 1;
const KEY_ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES + IV_BYTES + TAG_BYTES;

/** A key, and its ID in sealed values. */
interface BoxKey {
  readonly id: Buffer;
  /** Not its bytes: Node 24 takes three times as long for them, with each value. */
  readonly key: KeyObject;
}

/**
 * Encrypts stored secrets with AES-256-GCM. An encrypted secret names its key, so SECRET_KEY can change: the new key
 * encrypts, and previous keys still decrypt.
 *
 * @example
 * const sealed = box.seal('whsec_…', endpoint.id);
 * box.open(sealed, endpoint.id);
 */
export class SecretBox {
  readonly #current: BoxKey;
  readonly #keys: readonly BoxKey[];

  constructor(current: string, previous: readonly string[] = []) {
    this.#current = boxKey(current);
    this.#keys = [this.#current, ...previous.map(boxKey)];
  }

  /** A keyed digest, for comparing texts that may contain secrets. */
  digest(text: string): string {
    return createHmac('sha256', this.#current.key).update(text).digest('base64url');
  }

  /** `owner` is the ID of the row that stores the value. The value cannot be opened in another row. */
  seal(secret: string, owner: string): Uint8Array<ArrayBuffer> {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#current.key, iv).setAAD(Buffer.from(owner));
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Uint8Array.from(Buffer.concat([Buffer.of(FORMAT), this.#current.id, iv, cipher.getAuthTag(), sealed]));
  }

  /** | @throws {Error} if no known key sealed it, or if it was changed or moved to another row */
  open(sealed: Uint8Array, owner: string): string {
    const bytes = Buffer.from(sealed);
    const id = bytes.subarray(1, 1 + KEY_ID_BYTES);
    const known = this.#keys.find((candidate) => candidate.id.equals(id));
    if (bytes.length < HEADER_BYTES || bytes[0] !== FORMAT || !known) {
      throw new Error(
        'A stored secret was sealed with a key that is neither SECRET_KEY nor one of SECRET_KEYS_BEFORE.',
      );
    }
    const iv = bytes.subarray(1 + KEY_ID_BYTES, 1 + KEY_ID_BYTES + IV_BYTES);
    const tag = bytes.subarray(HEADER_BYTES - TAG_BYTES, HEADER_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', known.key, iv).setAAD(Buffer.from(owner)).setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(HEADER_BYTES)), decipher.final()]).toString('utf8');
  }
}

/** Derives a separate key from SECRET_KEY for stored secrets. */
function boxKey(secret: string): BoxKey {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'parley stored secrets', 32));
  return { key: createSecretKey(key), id: hash('sha256', key, 'buffer').subarray(0, KEY_ID_BYTES) };
}
