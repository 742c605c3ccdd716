import { stopAll } from '../bench/core/processes.ts';
import type { Kind, Site } from './kind.ts';
import { isOnlySlow, measureKind, type Outcome, withTimesOf } from './measure.ts';
import { prepareSite, startOn } from './site.ts';
import { createStore, type Store } from './stores.ts';
import { startWitness, type Witness } from './witness.ts';

export interface AbuseOptions {
  readonly kinds: readonly Kind[];
  /** The duration of the first attack of each kind. */
  readonly seconds: number;
  /** A PostgreSQL server. Each kind gets a database of its own. */
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  /** The highest number of attacks of one kind, if only times are its violations. */
  readonly rounds: number;
  /** Called after each kind. */
  readonly onOutcome?: (outcome: Outcome) => void;
}

interface Prepared {
  readonly options: AbuseOptions;
  readonly witness: Witness;
  /** The database after the first start. */
  readonly template: Store;
  readonly site: Site;
  /** The first number of the addresses. Redis keeps the counts of an earlier run, so each run has its own network. */
  readonly network: number;
}

/** Measures kinds one after another, each with a new process, a new database and a new address. */
export async function abuse(options: AbuseOptions): Promise<Outcome[]> {
  const witness = await startWitness();
  const template = await createStore(options.databaseUrl);
  try {
    const first = await startOn(template, witness, options.redisUrl);
    const site = await prepareSite(first);
    await first.stop();
    const network = 1 + Math.floor(Math.random() * 250);
    const prepared = { options, witness, template, site, network };
    const outcomes: Outcome[] = [];
    for (const [index, kind] of options.kinds.entries()) {
      const outcome = await measureRepeatedly(prepared, kind, index * options.rounds);
      options.onOutcome?.(outcome);
      outcomes.push(outcome);
    }
    return outcomes;
  } finally {
    witness.close();
    await stopAll();
    await template.remove();
  }
}

/** Rate limits count per minute, and other programs on the machine cost time too. */
const LONG_SECONDS = 60;

/**
 * The times of a kind that takes too long are measured again, for a minute: a shorter attack may be the burst that its
 * rate limit allows, and costs less per minute. A time is a violation only if it is too long in each round.
 */
async function measureRepeatedly(prepared: Prepared, kind: Kind, base: number): Promise<Outcome> {
  const { seconds, rounds } = prepared.options;
  const first = await measureAlone(prepared, kind, base + 1, seconds);
  let outcome = first;
  for (let round = 2; round <= rounds && isOnlySlow(outcome); round += 1) {
    const longer = await measureAlone(prepared, kind, base + round, Math.max(seconds, LONG_SECONDS));
    outcome = withTimesOf(longer, first);
  }
  return outcome;
}

async function measureAlone(prepared: Prepared, kind: Kind, number: number, seconds: number): Promise<Outcome> {
  const { options, witness, template, site, network } = prepared;
  const store = await createStore(options.databaseUrl, template);
  const service = await startOn(store, witness, options.redisUrl);
  const addresses = { attacker: `127.${network}.1.${number}`, other: `127.${network}.2.${number}` };
  try {
    return await measureKind(kind, { service, store, witness, site, addresses, ms: seconds * 1_000 });
  } finally {
    await service.stop();
    await store.remove();
  }
}
