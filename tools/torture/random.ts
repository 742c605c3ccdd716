import { createHash } from 'node:crypto';
import { seededRandom } from '../../test/support/kill-series.ts';

/** Random draws that depend only on the seed and the names, not on other draws. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number, ...names: readonly (string | number)[]) {
    this.#next = seededRandom(
      createHash('sha256')
        .update([seed, ...names].join('/'))
        .digest()
        .readUInt32BE(),
    );
    this.#next();
  }

  chance(part: number): boolean {
    return this.#next() < part;
  }

  between(from: number, to: number): number {
    return from + this.#next() * (to - from);
  }

  /** From 0 to count - 1. */
  index(count: number): number {
    return Math.floor(this.#next() * count);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.index(list.length)] as T;
  }

  /** One of these names, with probabilities by weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries(weights) as [Name, number][];
    let left = this.#next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    const match = entries.find(([, weight]) => {
      left -= weight;
      return left < 0;
    });
    return (match ?? (entries[0] as [Name, number]))[0];
  }
}
