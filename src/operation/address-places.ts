import { ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { addressKey } from '../domain/access/rate-limits.ts';

/** A place that is free so soon needs no timer. */
const SHORT_MS = 100;

interface Places {
  taken: number;
  readonly waiting: (() => void)[];
}

interface Rules {
  /** How many requests of an IP address have a place at the same time. */
  readonly places: number;
  /** A place stays taken for a second longer for each of these bytes. */
  readonly bytesPerSecond: number;
}

/** Leaves a place, with the bytes that were moved in it. Called once. */
export type LeavePlace = (bytes: number) => void;

/**
 * Limits what strangers do at the same time, by IP address: each request has a place while it works, and longer if it moved
 * many bytes. Further ones wait, so clients of one address share its places, and all others find the process free in between.
 */
export class AddressPlaces {
  readonly #rules: () => Rules;
  readonly #excess: string;
  readonly #places = new Map<string, Places>();

  /** `excess` says what the address does too much, and what to do. */
  constructor(rules: () => Rules, excess: string) {
    this.#rules = rules;
    this.#excess = excess;
  }

  /** Takes a place, or waits for one. @throws {ServiceError} rate_limited */
  async enter(address: string): Promise<LeavePlace> {
    const key = addressKey(address);
    const places = this.#places.get(key) ?? { taken: 0, waiting: [] };
    this.#places.set(key, places);
    if (places.taken < this.#rules().places) places.taken += 1;
    else await this.#wait(places);
    return (bytes) => {
      const heldMs = (bytes / this.#rules().bytesPerSecond) * 1_000;
      if (heldMs < SHORT_MS) this.#leave(key, places);
      else setTimeout(() => this.#leave(key, places), heldMs).unref();
    };
  }

  /** The one that leaves hands over its place. */
  #wait({ waiting }: Places): Promise<void> {
    if (waiting.length >= LIMITS.strangersWaiting) throw this.#tooMany();
    return new Promise((resolve, reject) => {
      const refuse = () => {
        waiting.splice(waiting.indexOf(take), 1);
        reject(this.#tooMany());
      };
      const timer = setTimeout(refuse, LIMITS.strangerWaitSeconds * 1_000);
      const take = () => {
        clearTimeout(timer);
        resolve();
      };
      waiting.push(take);
    });
  }

  #leave(key: string, places: Places): void {
    const next = places.waiting.shift();
    if (next) {
      next();
      return;
    }
    places.taken -= 1;
    if (places.taken === 0) this.#places.delete(key);
  }

  #tooMany(): ServiceError {
    return new ServiceError('rate_limited', this.#excess, { retryAfterMs: 1_000 });
  }
}
