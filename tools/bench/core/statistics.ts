/** The value below which this fraction of the sorted values lies. 0.5 is the median. */
export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** The summary of several rounds. */
export type Figure = Readonly<Record<'median' | 'least' | 'most', number>>;

export function figureOf(values: readonly number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (quantile(sorted, 0.5) + (sorted[(sorted.length - 1) >> 1] ?? Number.NaN)) / 2;
  return { median: middle, least: quantile(sorted, 0), most: quantile(sorted, 1) };
}

/** The measured values of one variant in one round, by name. */
export type Sample = Readonly<Record<string, number>>;

/** The measured values of each variant, round by round. */
export type Samples = Readonly<Record<string, readonly Sample[]>>;

/**
 * Measures each variant once per round, with a rotating order, so that other activity of the machine affects all of
 * them equally.
 */
export async function alternate(
  variants: Readonly<Record<string, (round: number) => Promise<Sample>>>,
  rounds: number,
): Promise<Samples> {
  const entries = Object.entries(variants);
  const samples: Record<string, Sample[]> = Object.fromEntries(entries.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const rotated = entries.map((_, index) => entries[(index + round) % entries.length]);
    for (const entry of rotated) {
      if (entry) samples[entry[0]]?.push(await entry[1](round));
    }
  }
  return samples;
}

/** One measured value of a variant over all rounds. */
export function figure(samples: Samples, name: string, key: string): Figure {
  return figureOf((samples[name] ?? []).map((sample) => sample[key] ?? Number.NaN));
}

/** The ratio of two variants, round by round, because each round measures both. */
export function ratio(samples: Samples, name: string, baseline: string, key: string): Figure {
  const baselineSamples = samples[baseline] ?? [];
  return figureOf(
    (samples[name] ?? []).map((sample, round) => (sample[key] ?? 0) / (baselineSamples[round]?.[key] ?? 0)),
  );
}
