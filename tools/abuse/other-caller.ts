import { setTimeout as pause } from 'node:timers/promises';
import { Agent } from 'undici';
import { quantile } from '../bench/core/statistics.ts';
import { type CallerOrder, type Latencies, OWN_TEXT, PROBES, type Probe } from './witness.ts';

/** Requests begin at this pace, whether the earlier ones have ended or not. */
const EVERY_MS = 50;

/** A request without a response for so long counts as that long. */
const PATIENCE_MS = 10_000;

/** Measures another caller: a key that reads, runs turns and runs turns in the background, at a steady pace. */
export async function measureCaller({ url, key, deploymentId, address, ms }: CallerOrder): Promise<Latencies> {
  const agent = new Agent({ localAddress: address, connections: 64 });
  const caller = { agent, url, deploymentId, headers: { 'x-api-key': key, 'content-type': 'application/json' } };
  const times: Record<Probe, number[]> = { read: [], turn: [], background: [] };
  const failures: string[] = [];
  const open: Promise<void>[] = [];
  const endsAt = performance.now() + ms;
  for (let number = 0; performance.now() < endsAt; number += 1) {
    const probe = PROBES[number % PROBES.length] ?? 'read';
    open.push(measured(caller, probe, times[probe], failures));
    await pause(EVERY_MS);
  }
  await Promise.all(open);
  await agent.close();
  return {
    p95: { read: p95(times.read), turn: p95(times.turn), background: p95(times.background) },
    failures,
  };
}

const p95 = (times: readonly number[]) =>
  quantile(
    times.toSorted((a, b) => a - b),
    0.95,
  );

interface OtherCaller {
  readonly agent: Agent;
  readonly url: string;
  readonly deploymentId: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function measured(caller: OtherCaller, probe: Probe, times: number[], failures: string[]): Promise<void> {
  const startedAt = performance.now();
  try {
    await RUN[probe](caller, AbortSignal.timeout(PATIENCE_MS));
  } catch (error) {
    failures.push(`${probe}: ${error instanceof Error ? error.message : error}`);
  }
  times.push(performance.now() - startedAt);
}

const RUN: Readonly<Record<Probe, (caller: OtherCaller, signal: AbortSignal) => Promise<unknown>>> = {
  read: (caller, signal) => ask(caller, signal, { method: 'GET', path: '/v1/resources?limit=20' }),
  turn: (caller, signal) => ask(caller, signal, turnOf(caller)),
  async background(caller, signal) {
    const shot = turnOf(caller);
    const started = await ask(caller, signal, { ...shot, headers: { prefer: 'respond-async' } });
    const { conversation_id: id, follow_cursor: after } = JSON.parse(started) as Readonly<Record<string, string>>;
    const path = `/v1/runner/conversation/${id}/stream?after=${after}`;
    await ask(caller, signal, { method: 'GET', path, until: 'event: turn.ended' });
  },
};

const turnOf = ({ deploymentId }: OtherCaller) => ({
  method: 'POST' as const,
  path: `/v2/runner/${deploymentId}/conversation`,
  body: JSON.stringify({ content: [{ type: 'text', text: OWN_TEXT }] }),
});

interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Reads a stream up to this text. */
  readonly until?: string;
}

async function ask({ agent, url, headers }: OtherCaller, signal: AbortSignal, question: Question): Promise<string> {
  const { method, path, body = null, until } = question;
  const options = { origin: url, method, path, body, signal, headers: { ...headers, ...question.headers } };
  const response = await agent.request(options);
  let text = '';
  for await (const bytes of response.body) {
    text += bytes;
    if (until && text.includes(until)) break;
  }
  if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 200)}`);
  return text;
}
