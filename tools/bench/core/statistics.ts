/** The value below which so much of sorted values lies: 0.5 is the median. */
export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** What several rounds measured. */
export type Figure = Readonly<Record<'median' | 'least' | 'most', number>>;

export function figureOf(values: readonly number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (quantile(sorted, 0.5) + (sorted[(sorted.length - 1) >> 1] ?? Number.NaN)) / 2;
  return { median: middle, least: quantile(sorted, 0), most: quantile(sorted, 1) };
}

/** What was measured of one thing in one round, by name. */
export type Sample = Readonly<Record<string, number>>;

/** What was measured of each thing, round by round. */
export type Samples = Readonly<Record<string, readonly Sample[]>>;

/**
 * Measures each variant once a round, beginning with another one each time, so that what else the machine does meets all
 * of them alike.
 */
export async function alternate(
  variants: Readonly<Record<string, (round: number) => Promise<Sample>>>,
  rounds: number,
): Promise<Samples> {
  const entries = Object.entries(variants);
  const samples: Record<string, Sample[]> = Object.fromEntries(entries.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const turned = entries.map((_, index) => entries[(index + round) % entries.length]);
    for (const entry of turned) {
      if (entry) samples[entry[0]]?.push(await entry[1](round));
    }
  }
  return samples;
}

/** One measured value of a variant over the rounds. */
export function figure(samples: Samples, name: string, key: string): Figure {
  return figureOf((samples[name] ?? []).map((sample) => sample[key] ?? Number.NaN));
}

/** How many times the one is the other, round by round: both were measured side by side in each. */
export function ratio(samples: Samples, name: string, floor: string, key: string): Figure {
  const floors = samples[floor] ?? [];
  return figureOf((samples[name] ?? []).map((sample, round) => (sample[key] ?? 0) / (floors[round]?.[key] ?? 0)));
}
