import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client, HttpResponse } from '../client.ts';

/** A client's pause after a request that failed. */
const RETRY_MS = 100;

/** A client's pause after a request that succeeded. */
const THINK_MS = 20;

/** How long a client waits for a response. */
const PATIENCE_MS = 60_000;

/** A write that the service acknowledged. */
interface Acknowledged {
  readonly id: string;
  /** A text that is part of this write only. */
  readonly marker: string;
}

/** Clients that write to two processes in turn. Each repeats a request with its key until it has a result. */
export interface Writers {
  readonly turns: readonly Acknowledged[];
  readonly resources: readonly Acknowledged[];
  /** How often each result came: a status with its code, or the error of a connection. */
  readonly results: ReadonlyMap<string, number>;
  /** Responses that no client should get. */
  readonly violations: readonly string[];
  /** The longest time without an acknowledged write from this time on, which goes on until the next one. */
  longestPauseMs(from: number): number;
  stop(): Promise<void>;
}

interface WritersOptions {
  readonly processes: readonly Client[];
  readonly deploymentId: string;
  /** The number of clients that run turns, and of those that create resources. */
  readonly clients: number;
}

/** The results of a request that can be repeated. While the first attempt still runs, a repeated one gets 409. */
const REPEATED = new Set(['503 unavailable', '409 request_in_progress']);

export function startWriters({ processes, deploymentId, clients }: WritersOptions): Writers {
  const stopping = new AbortController();
  const turns: Acknowledged[] = [];
  const resources: Acknowledged[] = [];
  const results = new Map<string, number>();
  const violations: string[] = [];
  const acknowledgedAt: number[] = [];
  let sent = 0;

  /** Sends a request until a process has handled it. Undefined if the clients stop first. */
  async function write(path: string, body: object): Promise<HttpResponse | undefined> {
    const headers = { 'idempotency-key': randomUUID() };
    for (;;) {
      sent += 1;
      const client = processes[sent % processes.length] as Client;
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const response = await client.send('POST', path, { body, headers, signal }).catch((error: Error) => error);
      const result = resultOf(response);
      results.set(result, (results.get(result) ?? 0) + 1);
      if (!(response instanceof Error) && response.status < 300) {
        acknowledgedAt.push(performance.now());
        return response;
      }
      if (!REPEATED.has(result)) violations.push(`${path}: ${describe(response)}`);
      if (stopping.signal.aborted) return undefined;
      await pause(RETRY_MS);
    }
  }

  async function runTurns(): Promise<void> {
    let conversation_id: string | undefined;
    while (!stopping.signal.aborted) {
      const marker = randomUUID();
      const content = [{ type: 'text', text: `Turn ${marker}` }];
      const path = `/v2/runner/${deploymentId}/conversation`;
      const response = await write(path, { content, conversation_id });
      if (!response) return;
      conversation_id = response.body.conversation_id;
      turns.push({ id: response.body.run_id, marker });
      await pause(THINK_MS);
    }
  }

  async function createResources(): Promise<void> {
    while (!stopping.signal.aborted) {
      const marker = randomUUID();
      const response = await write('/v1/resources', { type: 'note', fields: { marker } });
      if (!response) return;
      resources.push({ id: response.body.data.id, marker });
      await pause(THINK_MS);
    }
  }

  const running = Array.from({ length: clients }, () => [runTurns(), createResources()]).flat();
  return {
    turns,
    resources,
    results,
    violations,
    longestPauseMs(from) {
      const times = [from, ...acknowledgedAt.filter((at) => at > from), performance.now()];
      return Math.max(...times.map((at, index) => at - (times[index - 1] ?? at)));
    },
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

function resultOf(response: HttpResponse | Error): string {
  if (response instanceof Error) return response.name;
  const code = response.body?.error?.code;
  const withoutTime = response.status === 503 && !response.headers.get('retry-after') ? ' without Retry-After' : '';
  return code ? `${response.status} ${code}${withoutTime}` : String(response.status);
}

function describe(response: HttpResponse | Error): string {
  if (response instanceof Error) return `${response} ${response.cause ?? ''}`;
  return `${response.status} ${JSON.stringify(response.body)}`;
}
