import { LIMITS } from '../../contract/limits.ts';
import type { PostResponse } from '../address-port.ts';
import type { SecretBox } from '../secret-box.ts';

/** A header of a request or a response. */
export interface MessageHeader {
  /** In lower case. */
  readonly name: string;
  readonly value: string;
}

/** The response of a receiver in its stored form. */
export interface StoredResponse {
  readonly headers: readonly MessageHeader[];
  /** Decoded as UTF-8. Other bytes are replaced. */
  readonly body: string;
  readonly isCut: boolean;
}

/** Cookies are credentials of the receiver. */
const DROPPED = new Set(['set-cookie', 'set-cookie2']);

/** Seals a response for storage. It can contain secrets of the receiver, for example in an error page. */
export function sealResponse(
  box: SecretBox,
  deliveryId: bigint,
  { headers, body, isCut }: PostResponse,
): Uint8Array<ArrayBuffer> {
  const stored: StoredResponse = {
    headers: Object.entries(headers)
      .filter(([name]) => !DROPPED.has(name))
      .slice(0, LIMITS.webhookResponseHeaders)
      .map(([name, value]) => ({ name: cut(name), value: cut(value) })),
    // A character that the cut has split is left out.
    body: new TextDecoder().decode(body, { stream: isCut }),
    isCut,
  };
  return box.seal(JSON.stringify(stored), ownerOf(deliveryId));
}

/** Undefined if the key of an old response was removed from the configuration. */
export function openResponse(box: SecretBox, deliveryId: bigint, sealed: Uint8Array): StoredResponse | undefined {
  try {
    // `sealResponse` wrote this value.
    return JSON.parse(box.open(sealed, ownerOf(deliveryId))) as StoredResponse;
  } catch {
    return undefined;
  }
}

function ownerOf(deliveryId: bigint): string {
  return `response of delivery ${deliveryId}`;
}

function cut(text: string): string {
  return text.slice(0, LIMITS.webhookResponseHeaderLength);
}
