import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, SendOptions } from '../../test/support/client.ts';
import type { Fleet } from './fleet.ts';
import type { Journal } from './journal.ts';
import type { Random } from './random.ts';

/** A request as a lane plans it. */
export interface Call {
  /** How it is counted. */
  readonly kind: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** Error codes that may come, beside those that any request may meet while the service is struck. */
  readonly mayBe?: readonly string[];
  readonly idempotencyKey?: string | undefined;
}

/** Undefined where nobody knows what became of it: the connection broke, or the service was not available. */
export type Told = Answer | undefined;

/** Nothing that is asked here takes longer, struck or not. */
const LONGEST_MS = 60_000;

/** What is sent again and again must be answered within this time. */
const SURE_WITHIN_MS = 90_000;

/** Sends requests to processes as they come and go, and holds each answer to what is documented. */
export class Caller {
  readonly #fleet: Fleet;
  readonly #journal: Journal;

  constructor(fleet: Fleet, journal: Journal) {
    this.#fleet = fleet;
    this.#journal = journal;
  }

  /** Sends it once, to the process of this number where it is up. */
  async once(call: Call, process: number): Promise<Told> {
    const client = await this.#fleet.client(process);
    const sent = client.send(call.method, call.path, optionsOf(call)).catch((error: Error) => error);
    const answer = await withinTime(sent);
    if (answer === 'overdue') {
      this.#journal.check('every request is answered, or its connection cut', false, () => describe(call));
      return undefined;
    }
    if (answer instanceof Error) return this.#lost(call, answer);
    return this.#judged(call, answer);
  }

  /**
   * Sends it until it is answered, each time to another process: it is one that may be sent again. Answers also how
   * often it was sent.
   */
  async sure(call: Call, random: Random): Promise<{ readonly answer: Told; readonly attempts: number }> {
    const deadline = Date.now() + SURE_WITHIN_MS;
    for (let attempts = 1; ; attempts += 1) {
      const answer = await this.once(call, random.index(3));
      if (answer && answer.body?.error?.code !== 'request_in_progress') return { answer, attempts };
      if (Date.now() > deadline) {
        this.#journal.check('what is sent again is answered in the end', false, () => describe(call));
        return { answer: undefined, attempts };
      }
      await pause(random.between(50, 400));
    }
  }

  /** Under a key until it is answered; without one, once. */
  async asMayBe(call: Call, random: Random): Promise<{ readonly answer: Told; readonly attempts: number }> {
    if (call.idempotencyKey) return this.sure(call, random);
    return { answer: await this.once(call, random.index(3)), attempts: 1 };
  }

  #lost(call: Call, error: Error): undefined {
    this.#journal.check('answers are as documented', error.name !== 'Undocumented', () => error.message);
    this.#journal.count(call.kind, error.name === 'Undocumented' ? 'undocumented' : 'connection cut');
    return undefined;
  }

  #judged(call: Call, answer: Answer): Told {
    const { status } = answer;
    const code: string | undefined = answer.body?.error?.code;
    this.#journal.count(call.kind, code ? `${status} ${code}` : String(status));
    if (status === 503) return undefined;
    const known = code === undefined || isKnown(call, code);
    const fits = this.#journal.check('errors are of documented kinds', known, () => {
      return `${describe(call)} was answered ${status} ${JSON.stringify(answer.body)}`;
    });
    return fits || status < 500 ? answer : undefined;
  }
}

/** A key of its own for a request that may be sent again. */
export function newKey(): string {
  return `torture-${randomUUID()}`;
}

function isKnown({ mayBe = [], idempotencyKey }: Call, code: string): boolean {
  return mayBe.includes(code) || (idempotencyKey !== undefined && code === 'request_in_progress');
}

function optionsOf({ body, idempotencyKey }: Call): SendOptions {
  return { ...(body && { body }), ...(idempotencyKey && { headers: { 'idempotency-key': idempotencyKey } }) };
}

function describe({ kind, method, path, body, idempotencyKey }: Call): string {
  const key = idempotencyKey ? ` under ${idempotencyKey}` : '';
  return `${kind}: ${method} ${path}${key} ${JSON.stringify(body ?? {}).slice(0, 400)}`;
}

async function withinTime<T>(sent: Promise<T>): Promise<T | 'overdue'> {
  const patience = new AbortController();
  const overdue = pause(LONGEST_MS, 'overdue' as const, { signal: patience.signal }).catch(() => 'overdue' as const);
  const first = await Promise.race([sent, overdue]);
  patience.abort();
  return first;
}
