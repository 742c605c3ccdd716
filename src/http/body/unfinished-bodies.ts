import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatBytes } from '../../contract/quantities.ts';
import { addressKey } from '../../operation/rate-limits.ts';

/** What one request holds of the memory for unfinished bodies. */
export interface Share {
  /** @throws {ServiceError} rate_limited, unavailable */
  take(bytes: number): void;
  /** Returns all bytes. Later calls have no effect. */
  leave(): void;
}

interface Bounds {
  readonly ofAddress: number;
  readonly ofProcess: number;
}

const RETRY_MS = 1_000;

/** Counts the bytes of bodies that are not parsed yet, in the process and for each IP address. */
export class UnfinishedBodies {
  readonly #bounds: Bounds;
  readonly #ofAddress = new Map<string, number>();
  #total = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get total(): number {
    return this.#total;
  }

  enter(address: string): Share {
    let held = 0;
    let key: string | undefined;
    return {
      take: (bytes) => {
        key ??= addressKey(address);
        this.#take(key, bytes);
        held += bytes;
      },
      leave: () => {
        if (key !== undefined) this.#giveBack(key, held);
        held = 0;
      },
    };
  }

  #take(key: string, bytes: number): void {
    const { ofAddress, ofProcess } = this.#bounds;
    const mine = (this.#ofAddress.get(key) ?? 0) + bytes;
    if (mine > ofAddress) {
      const message = `Unfinished request bodies of your address exceed ${formatBytes(ofAddress)}. Send fewer at a time.`;
      throw new ServiceError('rate_limited', message, { retryAfterMs: RETRY_MS });
    }
    if (this.#total + bytes > ofProcess) {
      const message = 'The service receives too many request bodies. Try again shortly.';
      throw new ServiceError('unavailable', message, { retryAfterMs: RETRY_MS });
    }
    this.#ofAddress.set(key, mine);
    this.#total += bytes;
  }

  #giveBack(key: string, bytes: number): void {
    const left = (this.#ofAddress.get(key) ?? 0) - bytes;
    if (left > 0) this.#ofAddress.set(key, left);
    else this.#ofAddress.delete(key);
    this.#total -= bytes;
  }
}

/** The bodies of this process. */
export const unfinishedBodies = new UnfinishedBodies({
  ofAddress: LIMITS.unfinishedAddressBytes,
  ofProcess: LIMITS.unfinishedBytes,
});

const held = new WeakMap<object, Share>();

/** Keeps counting a body until its request ends, because its parsed form stays in memory. */
export function holdWhileHandled(request: IncomingMessage, response: ServerResponse, share: Share): void {
  held.set(request, share);
  response.once('close', share.leave);
}

/** The parsed form of the request's body is no longer in memory. */
export function leaveBody(request: IncomingMessage): void {
  held.get(request)?.leave();
}
