import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { HttpResponse, SendOptions } from '../../test/support/client.ts';
import type { ServiceProcess } from '../../test/support/process.ts';
import type { Fleet } from './fleet.ts';
import type { Journal } from './journal.ts';
import type { Random } from './random.ts';

/** A planned request of a lane. */
export interface Call {
  /** The name under which it is counted. */
  readonly kind: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** Allowed error codes, in addition to those that any request may get during disruptions. */
  readonly expectedCodes?: readonly string[];
  readonly idempotencyKey?: string | undefined;
  /** The session of a member. Default: the API key. */
  readonly token?: string | undefined;
  /** The client waits only for the acceptance of the turn. */
  readonly background?: boolean;
  /** After this time the client disconnects. */
  readonly leavesAfterMs?: number | undefined;
}

/** Undefined if the result is unknown: the connection broke, or the service was unavailable. */
export type MaybeResponse = HttpResponse | undefined;

/** The maximum time of a request, with or without disruptions. */
const LONGEST_MS = 60_000;

/** The maximum time of a request with retries. */
const RETRY_WITHIN_MS = 90_000;

/** Sends requests to the available processes, and checks each response against the documentation. */
export class Caller {
  readonly #fleet: Fleet;
  readonly #journal: Journal;

  constructor(fleet: Fleet, journal: Journal) {
    this.#fleet = fleet;
    this.#journal = journal;
  }

  /** Sends it once, to the process of this number if it is up. */
  async sendOnce(call: Call, process: number): Promise<MaybeResponse> {
    const client = await this.#fleet.client(process);
    const sent = client.send(call.method, call.path, optionsOf(call, client)).catch((error: Error) => error);
    const response = await withinTime(sent);
    if (response === 'overdue') {
      this.#journal.check('every request gets a response or its connection breaks', false, () => describe(call));
      return undefined;
    }
    if (response instanceof Error) return this.#lost(call, response);
    return this.#checkResponse(call, response);
  }

  /**
   * Retries until it has a response, each time at another process. The request must be safe to retry. Also returns the
   * number of attempts.
   */
  async sendUntilResponse(
    call: Call,
    random: Random,
  ): Promise<{ readonly response: MaybeResponse; readonly attempts: number }> {
    const deadline = Date.now() + RETRY_WITHIN_MS;
    for (let attempts = 1; ; attempts += 1) {
      const response = await this.sendOnce(call, random.index(3));
      if (response && response.body?.error?.code !== 'request_in_progress') return { response: response, attempts };
      if (Date.now() > deadline) {
        this.#journal.check('a retried request finally gets a response', false, () => describe(call));
        return { response: undefined, attempts };
      }
      await pause(random.between(50, 400));
    }
  }

  /** Retries with an idempotency key. Without a key, sends once. */
  async sendRetryingIfKeyed(
    call: Call,
    random: Random,
  ): Promise<{ readonly response: MaybeResponse; readonly attempts: number }> {
    if (call.idempotencyKey) return this.sendUntilResponse(call, random);
    return { response: await this.sendOnce(call, random.index(3)), attempts: 1 };
  }

  #lost(call: Call, error: Error): undefined {
    this.#journal.check('responses are as documented', error.name !== 'UndocumentedResponseError', () => error.message);
    this.#journal.count(call.kind, LOSSES[error.name] ?? 'connection cut');
    return undefined;
  }

  #checkResponse(call: Call, response: HttpResponse): MaybeResponse {
    const { status } = response;
    const code: string | undefined = response.body?.error?.code;
    this.#journal.count(call.kind, code ? `${status} ${code}` : String(status));
    if (status === 503) return undefined;
    const known = code === undefined || isKnown(call, code);
    const isDocumented = this.#journal.check('errors have documented codes', known, () => {
      return `${describe(call)} got ${status} ${JSON.stringify(response.body)}`;
    });
    return isDocumented || status < 500 ? response : undefined;
  }
}

/** Errors of a request that are not a broken connection. */
const LOSSES: Readonly<Record<string, string>> = {
  UndocumentedResponseError: 'undocumented',
  TimeoutError: 'client disconnected',
};

/** The ID of a request to a process. The run of an accepted turn keeps it. */
function requestIdAt({ child }: ServiceProcess): string {
  return `torture-${child.pid}-${randomUUID()}`;
}

/** The process that accepted a request. */
export function pidIn(requestId: string): number | undefined {
  const [, pid] = /^torture-(\d+)-/.exec(requestId) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

/** A new key for a request that may be retried. */
export function newKey(): string {
  return `torture-${randomUUID()}`;
}

function isKnown({ expectedCodes = [], idempotencyKey }: Call, code: string): boolean {
  return expectedCodes.includes(code) || (idempotencyKey !== undefined && code === 'request_in_progress');
}

function optionsOf(
  { body, idempotencyKey, token, background, leavesAfterMs }: Call,
  process: ServiceProcess,
): SendOptions {
  const headers = {
    'x-request-id': requestIdAt(process),
    ...(token && { authorization: `Bearer ${token}` }),
    ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    ...(background && { prefer: 'respond-async' }),
  };
  const signal = leavesAfterMs === undefined ? undefined : AbortSignal.timeout(leavesAfterMs);
  return { headers, ...(body && { body }), ...(signal && { signal }) };
}

function describe({ kind, method, path, body, idempotencyKey }: Call): string {
  const key = idempotencyKey ? ` under ${idempotencyKey}` : '';
  return `${kind}: ${method} ${path}${key} ${JSON.stringify(body ?? {}).slice(0, 400)}`;
}

async function withinTime<T>(sent: Promise<T>): Promise<T | 'overdue'> {
  const timer = new AbortController();
  const overdue = pause(LONGEST_MS, 'overdue' as const, { signal: timer.signal }).catch(() => 'overdue' as const);
  const first = await Promise.race([sent, overdue]);
  timer.abort();
  return first;
}
