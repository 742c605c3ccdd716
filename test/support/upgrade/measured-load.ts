import { setTimeout as pause } from 'node:timers/promises';
import type { Client, HttpResponse } from '../client.ts';
import { errorOf } from '../results.ts';

/** A client's pause between two requests. */
const THINK_MS = 10;

const CLIENTS = 3;

/** A finished request. */
export interface Sample {
  readonly name: string;
  readonly startedAt: number;
  readonly ms: number;
}

/** Clients that read and write one process, one request after another. */
export interface MeasuredLoad {
  readonly samples: readonly Sample[];
  /** Every request that failed, and why. */
  readonly failures: readonly string[];
  /** The IDs of what clients wrote and got a response for. */
  readonly written: { readonly resources: readonly string[]; readonly runs: readonly string[] };
  /** Resolves once every request has ended. */
  stop(): Promise<void>;
}

export function startMeasuredLoad(client: Client): MeasuredLoad {
  const samples: Sample[] = [];
  const failures: string[] = [];
  const written = { resources: [] as string[], runs: [] as string[] };
  const stopping = new AbortController();
  const measure = async (name: string, send: () => Promise<HttpResponse>) => {
    const startedAt = performance.now();
    const response = await send().catch((error: Error) => error);
    samples.push({ name, startedAt, ms: performance.now() - startedAt });
    await pause(THINK_MS);
    if (!(response instanceof Error) && response.status < 300 && !errorOf(response)) return response.body;
    const reason = response instanceof Error ? `${response} ${response.cause}` : JSON.stringify(response.body);
    failures.push(`${name}: ${reason}`);
    return undefined;
  };
  const run = async () => {
    let conversation_id: string | undefined;
    while (!stopping.signal.aborted) {
      const turn = await measure('turn', () => client.agentTurn('Go on', { conversation_id }));
      conversation_id ??= turn?.conversation_id;
      if (turn) written.runs.push(turn.run_id);
      await measure('messages', () => client.send('GET', `/v1/runner/conversation/${conversation_id}/messages`));
      const note = await measure('create', () =>
        client.send('POST', '/v1/resources', { body: { type: 'note', fields: {} } }),
      );
      if (note) written.resources.push(note.data.id);
      await measure('list', () => client.graphql('{ conversations(first: 20) { nodes { name } } }'));
    }
  };
  const running = Array.from({ length: CLIENTS }, run);
  return {
    samples,
    failures,
    written,
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

/** The longest requests of each kind, and percentiles of all, as text. */
export function summaryOf(samples: readonly Sample[]): { text: string; longestMs: number } {
  const sorted = samples.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  const longest = samples.reduce((a, b) => (b.ms > a.ms ? b : a), { name: 'none', startedAt: 0, ms: 0 });
  return {
    text: `${samples.length} requests, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${Math.round(longest.ms)} ms (${longest.name})`,
    longestMs: longest.ms,
  };
}
