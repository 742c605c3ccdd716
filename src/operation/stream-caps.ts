import { ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { formatCount } from '../contract/quantities.ts';
import { addressKey } from '../domain/access/rate-limits.ts';
import { reachOf } from '../domain/access/reach.ts';
import { isStranger, strangerParts } from '../domain/access/shares.ts';
import type { Caller } from '../domain/caller.ts';
import { type Access, requireAccess } from './access.ts';
import type { OperationContext } from './context.ts';
import { requireUse } from './reach.ts';

/** The place of a stream that follows an operation. It is taken before the operation has an effect. */
export class StreamPlace {
  readonly #access: Access;
  #leave: (() => void) | undefined;

  /** @param access what the subscription of the stream requires */
  constructor(access: Access) {
    this.#access = access;
  }

  /** Counts the stream, once. @throws {ServiceError} unauthorized, forbidden, rate_limited */
  take(caps: StreamCaps, context: OperationContext): void {
    // The operation has admitted an anonymous caller to the deployment.
    const isAdmitted = this.#access.runner && context.caller?.kind === 'anonymous';
    // A bound caller has no other permissions than for what the operation names.
    if (context.caller && reachOf(context.caller)) requireUse(context.caller, this.#access);
    else if (!isAdmitted) requireAccess(this.#access, context);
    this.#leave ??= caps.enter(context.caller, context.open.request.address);
  }

  /** Call it when the response has ended. */
  leave(): void {
    this.#leave?.();
  }
}

function keyOf(caller: Caller | undefined, address: string): string {
  if (caller?.kind === 'end_user') return `${caller.environment.id} ${caller.endUser}`;
  const isKnown = caller?.kind === 'api_key' || caller?.kind === 'session' || caller?.kind === 'app';
  return isKnown ? caller.id : addressKey(address);
}

/** Limits the open streams in this process, per caller and all together. A stream carries one subscription or several operations. */
export class StreamCaps {
  readonly #open = new Map<string, number>();
  readonly #most: number;
  #all = 0;
  #ofStrangers = 0;

  constructor(most: number = LIMITS.streamsOfProcess) {
    this.#most = most;
  }

  /**
   * Counts a stream. Returns a function to call when the stream closes.
   * @throws {ServiceError} rate_limited
   */
  enter(caller: Caller | undefined, address: string): () => void {
    const isServer = caller?.kind === 'api_key';
    const key = keyOf(caller, address);
    const most = isServer ? LIMITS.streamsOfKey : LIMITS.streamsOfPerson;
    const count = this.#open.get(key) ?? 0;
    if (count >= most) {
      throw new ServiceError(
        'rate_limited',
        `The maximum of ${formatCount(most)} open streams is reached. Close a stream first.`,
      );
    }
    const stranger = isStranger(caller) ? 1 : 0;
    this.#requirePlace(stranger === 1);
    this.#open.set(key, count + 1);
    this.#all += 1;
    this.#ofStrangers += stranger;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#all -= 1;
      this.#ofStrangers -= stranger;
      const left = (this.#open.get(key) ?? 1) - 1;
      if (left > 0) this.#open.set(key, left);
      else this.#open.delete(key);
    };
  }

  /** Strangers cannot take the last places of the process. */
  #requirePlace(ofStranger: boolean): void {
    const isFull = this.#all >= this.#most || (ofStranger && this.#ofStrangers >= strangerParts(this.#most).all);
    if (!isFull) return;
    throw new ServiceError('rate_limited', 'This process has too many open streams. Try again in a moment.', {
      retryAfterMs: 1_000,
    });
  }
}
