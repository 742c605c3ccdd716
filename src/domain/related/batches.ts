import DataLoader from 'dataloader';
import type { Context } from '../context.ts';

type Batch<Result> = (keys: readonly string[]) => Promise<Result[]>;

const batches = new WeakMap<Context, Map<string, DataLoader<string, unknown>>>();

/**
 * Loads the result of a key together with the other keys that are requested in the same tick. `name` identifies the
 * statement: all loads with the same name in a request are alike. Nothing is cached, because a subscription uses one
 * context for all of its events.
 */
export function loadInBatch<Result>(ctx: Context, name: string, key: string, load: Batch<Result>): Promise<Result> {
  const ofContext = batches.get(ctx) ?? new Map<string, DataLoader<string, unknown>>();
  batches.set(ctx, ofContext);
  const loader = ofContext.get(name) ?? new DataLoader<string, unknown>(load, { cache: false });
  ofContext.set(name, loader);
  return loader.load(key) as Promise<Result>;
}
