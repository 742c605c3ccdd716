import type { PrismaClient } from '../../db/generated/client.ts';
import type { Sql } from '../../db/sql.ts';
import type { Log, Observer } from '../telemetry.ts';
import { type AttemptParts, makeAttempt } from './attempt.ts';
import { type ClaimCapacity, type ClaimedDelivery, releaseClaim } from './claim.ts';
import { disableFailing, disableGone } from './disable.ts';
import type { WebhookPace } from './pace.ts';
import { type AttemptOutcome, recordAttempt } from './record.ts';
import { waitsAfter } from './waits.ts';

/**
 * The limits of concurrent attempts in one process. They are high because an attempt that hangs blocks only a socket for
 * 15 s. Endpoints whose last attempt failed share the lower limit, so they cannot block the others.
 */
const MAX_CONCURRENT = { steady: 256, failing: 64 } as const;

/** The receiver wants no more messages (Standard Webhooks). */
const GONE = 410;

export interface PoolParts extends AttemptParts {
  readonly prisma: PrismaClient;
  readonly sql: Sql;
  readonly log: Log;
  readonly observer: Observer;
}

/** Called after each attempt. `isLocking`: the record of the attempt locked the endpoint for a moment. */
type OnEnd = (environmentId: string, isLocking: boolean) => void;

/** Makes the attempts of this process and records their outcomes. */
export class AttemptPool {
  readonly #parts: PoolParts;
  readonly #pace: WebhookPace;
  readonly #onEnd: OnEnd;
  readonly #running = new Map<AbortController, Promise<void>>();
  readonly #counts = { steady: 0, failing: 0 };

  constructor(parts: PoolParts, pace: WebhookPace, onEnd: OnEnd) {
    this.#parts = parts;
    this.#pace = pace;
    this.#onEnd = onEnd;
  }

  get capacity(): ClaimCapacity {
    const { steady, failing } = this.#counts;
    return { steady: MAX_CONCURRENT.steady - steady, failing: MAX_CONCURRENT.failing - failing };
  }

  begin(delivery: ClaimedDelivery): void {
    const controller = new AbortController();
    const lane = delivery.endpointFailures > 0 ? 'failing' : 'steady';
    this.#counts[lane] += 1;
    const work = this.#deliver(delivery, controller.signal)
      // The claim expires, and the delivery is attempted again.
      .catch((error: unknown) => {
        this.#parts.log.error({ err: error }, 'an attempt of a webhook was not recorded');
        return false;
      })
      .then((isDelivered) => {
        this.#running.delete(controller);
        this.#counts[lane] -= 1;
        this.#onEnd(delivery.environmentId, lane === 'failing' || !isDelivered);
      });
    this.#running.set(controller, work);
  }

  /** Waits for the running attempts. Aborts the attempts that still run after `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    const abort = setTimeout(() => {
      for (const controller of this.#running.keys()) controller.abort();
    }, graceMs);
    await Promise.all(this.#running.values());
    clearTimeout(abort);
  }

  /** @returns whether the message was delivered */
  async #deliver(delivery: ClaimedDelivery, signal: AbortSignal): Promise<boolean> {
    const { prisma, sql, log, observer } = this.#parts;
    const outcome = await this.#attempt(delivery, signal);
    if (!outcome) {
      await releaseClaim(sql, delivery);
      return false;
    }
    observer.webhookAttempted(outcome.delivered ? 'delivered' : 'failed');
    // Before the record, which ends the claim: another message could be sent in between.
    if (outcome.responseStatus === GONE && (await disableGone(prisma, delivery))) {
      log.warn({ endpoint_id: delivery.endpointId }, 'a webhook endpoint was disabled because it responded with 410');
    }
    const waits = waitsAfter(this.#pace, delivery, outcome);
    const isExpired = await recordAttempt(sql, delivery, outcome, waits);
    const { id, endpointId } = delivery;
    if (isExpired && (await disableFailing(prisma, delivery))) {
      log.warn({ endpoint_id: endpointId }, 'a webhook endpoint was disabled because it failed for days');
    }
    if (!outcome.delivered && waits.retryMs === undefined) {
      log.warn(
        { delivery_id: String(id), endpoint_id: endpointId },
        'a webhook delivery failed after its last attempt',
      );
    }
    return outcome.delivered;
  }

  /** Returns undefined if the attempt was aborted. */
  async #attempt(delivery: ClaimedDelivery, signal: AbortSignal): Promise<AttemptOutcome | undefined> {
    const startedAt = this.#parts.now();
    try {
      return await makeAttempt(this.#parts, delivery, { timeoutMs: this.#pace.timeoutMs, signal });
    } catch (error) {
      if (signal.aborted) return undefined;
      this.#parts.log.error({ err: error, endpoint_id: delivery.endpointId }, 'a webhook could not be sent');
      const message = 'The service could not create the message.';
      const outcome = { delivered: false, responseStatus: null, error: message, sealedResponse: null, retryAfterMs: 0 };
      return { ...outcome, startedAt, durationMs: 0 };
    }
  }
}
