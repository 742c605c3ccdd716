import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { send } from '../bench/core/helper-messages.ts';

/** The text of the other caller's turns, which do not count as model calls of the attacker. */
export const OWN_TEXT = 'A turn of the other caller';

/** How long the provider takes for a message with the word "slowly". */
export const SLOW_MS = 3_000;

/** What the other caller does: it reads, runs a turn, and runs a turn in the background. */
export const PROBES = ['read', 'turn', 'background'] as const;
export type Probe = (typeof PROBES)[number];

export interface CallerOrder {
  readonly kind: 'measure';
  readonly url: string;
  readonly key: string;
  readonly deploymentId: string;
  readonly address: string;
  readonly ms: number;
}

export type WitnessOrder = CallerOrder | { readonly kind: 'count' };

export interface Latencies {
  /** The p95 of each probe in milliseconds. */
  readonly p95: Readonly<Record<Probe, number>>;
  /** Requests with another status than 2xx, or without a response. */
  readonly failures: readonly string[];
}

export interface WitnessReply {
  /** Calls of the provider so far, except for the other caller. */
  readonly modelCalls: number;
  readonly mails: number;
  readonly latencies: Latencies | undefined;
}

/** The process with the other caller, the provider and the mail server. */
export interface Witness {
  readonly providerUrl: string;
  readonly mailUrl: string;
  measure(order: Omit<CallerOrder, 'kind'>): Promise<Latencies>;
  count(): Promise<Pick<WitnessReply, 'modelCalls' | 'mails'>>;
  close(): void;
}

export async function startWitness(): Promise<Witness> {
  const file = join(import.meta.dirname, 'processes/witness.ts');
  const child: ChildProcess = fork(file, [], { execArgv: ['--import', 'tsx'] });
  const [addresses] = (await once(child, 'message')) as [Pick<Witness, 'providerUrl' | 'mailUrl'>];
  const ask = (order: WitnessOrder) => send<WitnessOrder, WitnessReply>(child, order);
  return {
    ...addresses,
    async measure(order) {
      const { latencies } = await ask({ kind: 'measure', ...order });
      if (!latencies) throw new Error('The other caller has measured nothing.');
      return latencies;
    },
    count: () => ask({ kind: 'count' }),
    close: () => void child.kill(),
  };
}
