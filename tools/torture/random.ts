import { createHash } from 'node:crypto';
import { seeded } from '../../test/support/strikes.ts';

/** Draws that are the same for the same seed and the same names, whatever others draw meanwhile. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number, ...names: readonly (string | number)[]) {
    this.#next = seeded(
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

  /** From 0 to one less. */
  index(count: number): number {
    return Math.floor(this.#next() * count);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.index(list.length)] as T;
  }

  /** One of these names, as often as their weights say. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries(weights) as [Name, number][];
    let left = this.#next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    const found = entries.find(([, weight]) => {
      left -= weight;
      return left < 0;
    });
    return (found ?? (entries[0] as [Name, number]))[0];
  }
}
