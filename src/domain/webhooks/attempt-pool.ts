import type { PrismaClient } from '../../db/generated/client.ts';
import type { Log, Observer } from '../context.ts';
import { type AttemptParts, makeAttempt } from './attempt.ts';
import { type AttemptOutcome, type ClaimedDelivery, recordAttempt, releaseClaim } from './claim.ts';
import type { WebhookPace } from './pace.ts';

/** Attempts under way in one process. */
const MOST_AT_ONCE = 32;

/** What attempts are made and recorded with. */
export interface PoolParts extends AttemptParts {
  readonly prisma: PrismaClient;
  readonly log: Log;
  readonly observer: Observer;
}

/** The attempts that this process makes: each is made, and what became of it is recorded. */
export class AttemptPool {
  readonly #parts: PoolParts;
  readonly #pace: WebhookPace;
  readonly #ended: (environmentId: string) => void;
  readonly #underWay = new Map<AbortController, Promise<void>>();

  /** `ended` hears of each attempt that is over. */
  constructor(parts: PoolParts, pace: WebhookPace, ended: (environmentId: string) => void) {
    this.#parts = parts;
    this.#pace = pace;
    this.#ended = ended;
  }

  /** For how many more there is room. */
  get room(): number {
    return MOST_AT_ONCE - this.#underWay.size;
  }

  begin(delivery: ClaimedDelivery): void {
    const controller = new AbortController();
    const work = this.#deliver(delivery, controller.signal)
      // Its claim runs out, and it is attempted again.
      .catch((error: unknown) => this.#parts.log.error({ err: error }, 'an attempt of a webhook was not recorded'))
      .then(() => {
        this.#underWay.delete(controller);
        this.#ended(delivery.environmentId);
      });
    this.#underWay.set(controller, work);
  }

  /** Waits for what is under way, and breaks off what is left after `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    const breakOff = setTimeout(() => {
      for (const controller of this.#underWay.keys()) controller.abort();
    }, graceMs);
    await Promise.all(this.#underWay.values());
    clearTimeout(breakOff);
  }

  async #deliver(delivery: ClaimedDelivery, signal: AbortSignal): Promise<void> {
    const { prisma, log, observer } = this.#parts;
    const outcome = await this.#attempt(delivery, signal);
    if (!outcome) return releaseClaim(prisma, delivery);
    observer.webhookAttempted(outcome.delivered ? 'delivered' : 'failed');
    const retryMs = this.#pace.retriesMs[delivery.attempts];
    await recordAttempt(prisma, delivery, outcome, retryMs);
    if (outcome.delivered || retryMs !== undefined) return;
    const { id, endpointId } = delivery;
    log.warn({ delivery_id: String(id), endpoint_id: endpointId }, 'a webhook was not delivered by its last attempt');
  }

  /** Nothing where it was broken off. */
  async #attempt(delivery: ClaimedDelivery, signal: AbortSignal): Promise<AttemptOutcome | undefined> {
    const startedAt = this.#parts.now();
    try {
      return await makeAttempt(this.#parts, delivery, { timeoutMs: this.#pace.timeoutMs, signal });
    } catch (error) {
      if (signal.aborted) return undefined;
      this.#parts.log.error({ err: error, endpoint_id: delivery.endpointId }, 'a webhook could not be sent');
      const told = 'The message could not be made on our side.';
      return { delivered: false, responseStatus: null, error: told, startedAt, durationMs: 0 };
    }
  }
}
