import { setTimeout as pause } from 'node:timers/promises';
import type { PubSub } from '../../../db/pub-sub.ts';
import { PeriodicTasks } from '../../periodic-tasks.ts';
import { MAIL_TOPIC } from '../mail/outbox.ts';
import { attemptMail, factsOf, MARGIN_MS, type MailParts } from './attempt.ts';
import { type ClaimedMail, claimMails } from './claim.ts';
import type { MailPace } from './pace.ts';
import { readQueueState, sweepMails } from './settle.ts';

/** Mails that a process sends at the same time. */
const CONCURRENT = { urgent: 4, ordinary: 2 } as const;

type Lane = keyof typeof CONCURRENT;

/** The keys that a process remembers. With more, some of them wait for a longer turn. */
const REMEMBERED_KEYS = 500;

const SWEEP_MS = 10_000;

/** The dependencies of the dispatcher. `port` is undefined if the operator configured no mail server. */
export interface MailDispatcherParts extends Omit<MailParts, 'port'> {
  readonly port: MailParts['port'] | undefined;
  readonly pubSub: PubSub;
}

/**
 * Sends the stored mails. Every process has a dispatcher. The dispatchers share the work, because the queue and the claims
 * are in the database. A new mail wakes them, and they also poll.
 */
export class MailDispatcher {
  readonly #parts: MailDispatcherParts;
  readonly #pace: MailPace;
  readonly #tasks: PeriodicTasks;
  readonly #running = { urgent: new Set<Promise<void>>(), ordinary: new Set<Promise<void>>() };
  /** The keys whose mails this process sent, the latest last. */
  readonly #served = new Set<string>();
  #unsubscribe: (() => void) | undefined;
  #woken = false;
  #work: Promise<void> | undefined;
  #closed = false;

  constructor(parts: MailDispatcherParts, pace: MailPace) {
    this.#parts = parts;
    this.#pace = pace;
    this.#tasks = new PeriodicTasks(parts.log);
  }

  start(): void {
    this.#tasks.every(SWEEP_MS, 'expired mails could not be removed', () => this.#sweep());
    if (!this.#parts.port) return;
    const wake = () => this.#wake();
    this.#unsubscribe = this.#parts.pubSub.subscribe(MAIL_TOPIC, wake);
    this.#tasks.every(this.#pace.pollMs, 'mails cannot be sent', wake);
  }

  /** Stops claiming mails, and waits up to `graceMs` for those that are being sent. The others stay stored. */
  async drain(graceMs: number): Promise<void> {
    this.#closed = true;
    this.#unsubscribe?.();
    await Promise.all([this.#work, this.#tasks.stop()]);
    const running = Promise.all([...this.#running.urgent, ...this.#running.ordinary]);
    await Promise.race([running, pause(graceMs, undefined, { ref: false })]);
    this.#parts.port?.close();
  }

  #wake(): void {
    this.#woken = true;
    this.#work ??= this.#claimAll();
  }

  async #claimAll(): Promise<void> {
    while (this.#woken && !this.#closed) {
      this.#woken = false;
      await this.#claim().catch((error: unknown) => this.#parts.log.error({ err: error }, 'mails cannot be sent'));
    }
    this.#work = undefined;
  }

  async #claim(): Promise<void> {
    const { port, sql } = this.#parts;
    const capacity = { urgent: this.#free('urgent'), ordinary: this.#free('ordinary') };
    if (!port || (capacity.urgent === 0 && capacity.ordinary === 0)) return;
    const leaseMs = this.#pace.timeoutMs + MARGIN_MS;
    const mails = await claimMails(sql, { capacity, leaseMs, served: [...this.#served] });
    for (const mail of mails) this.#begin({ ...this.#parts, port }, mail);
  }

  #free(lane: Lane): number {
    return CONCURRENT[lane] - this.#running[lane].size;
  }

  #begin(parts: MailParts, mail: ClaimedMail): void {
    this.#remember(mail.turnKey);
    const running = this.#running[mail.urgent ? 'urgent' : 'ordinary'];
    const attempt = attemptMail(parts, this.#pace, mail)
      // The claim expires, and the mail is attempted again.
      .catch((error: unknown) => parts.log.error({ ...factsOf(mail), err: error }, 'a mail was not settled'))
      .finally(() => {
        running.delete(attempt);
        this.#wake();
      });
    running.add(attempt);
  }

  #remember(key: string): void {
    this.#served.delete(key);
    this.#served.add(key);
    const [oldest] = this.#served;
    if (this.#served.size > REMEMBERED_KEYS && oldest !== undefined) this.#served.delete(oldest);
  }

  async #sweep(): Promise<void> {
    const { sql, log, observer } = this.#parts;
    for (const { id, kind, workspace_id: workspaceId, attempts } of await sweepMails(sql)) {
      log.warn(factsOf({ id, kind, workspaceId, attempts }), 'a mail was given up: it expired before it was sent');
      observer.mailSettled(kind, 'given_up');
    }
    const state = await readQueueState(sql);
    for (const lane of ['urgent', 'ordinary'] as const) {
      const row = state.find(({ urgent }) => urgent === (lane === 'urgent'));
      observer.mailsWaiting(lane, row?.count ?? 0, row?.oldest_seconds ?? 0);
    }
  }
}
