import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

interface Options {
  readonly challenge: string;
}

interface Behaviour {
  readonly origin: string;
  readonly rpId?: string;
  /** Whether the authenticator verified the person. Default: true. */
  readonly userVerified?: boolean;
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

/** A passkey of one person, as a browser and its authenticator use it (WebAuthn, ES256, attestation "none"). */
export class Authenticator {
  readonly #id = randomBytes(32);
  readonly #key: KeyObject;
  readonly #cose: Buffer;
  counter = 0;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    // The map {1: 2, 3: -7, -1: 1, -2: x, -3: y} in CBOR.
    const head = Buffer.from('a5010203262001215820', 'hex');
    this.#cose = Buffer.concat([
      head,
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
  }

  get id(): string {
    return base64url(this.#id);
  }

  /** The response to the options of a registration. */
  create({ challenge }: Options, behaviour: Behaviour): object {
    const length = Buffer.from([0, this.#id.length]);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.#id, this.#cose]);
    const authData = Buffer.concat([this.#authData(behaviour, 0x40), credential]);
    // The map {fmt: "none", attStmt: {}, authData} in CBOR.
    const attestationObject = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
      Buffer.from([0x58, authData.length]),
      authData,
    ]);
    const clientDataJSON = clientData('webauthn.create', challenge, behaviour);
    const response = {
      clientDataJSON: base64url(clientDataJSON),
      attestationObject: base64url(attestationObject),
      transports: ['internal'],
    };
    return { ...this.#envelope(), response };
  }

  /** The response to the options of a sign-in. */
  get({ challenge }: Options, behaviour: Behaviour): object {
    this.counter += 1;
    const authenticatorData = this.#authData(behaviour, 0);
    const clientDataJSON = clientData('webauthn.get', challenge, behaviour);
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJSON).digest()]);
    const response = {
      clientDataJSON: base64url(clientDataJSON),
      authenticatorData: base64url(authenticatorData),
      signature: base64url(sign('sha256', signed, this.#key)),
    };
    return { ...this.#envelope(), response };
  }

  #envelope() {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {} };
  }

  #authData({ origin, rpId = new URL(origin).hostname, userVerified = true }: Behaviour, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const hash = createHash('sha256').update(rpId).digest();
    return Buffer.concat([hash, Buffer.from([flags | 0x01 | (userVerified ? 0x04 : 0)]), counter]);
  }
}

function clientData(type: string, challenge: string, { origin }: Behaviour): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}
