import type { RateLimit } from '../db/rate-limiter.ts';
import {
  addressKey,
  configuredLimit,
  countRequest,
  endUserKey,
  type LimitNotice,
  RATE_LIMITS,
} from '../domain/access/rate-limits.ts';
import { isStranger } from '../domain/access/shares.ts';
import type { AnonymousCaller, Caller } from '../domain/caller.ts';
import type { Services } from '../domain/context.ts';
import type { RequestFacts } from '../domain/request.ts';
import type { Exchange } from './exchange.ts';

export { addressKey, isStranger };

/** Counts a request under rate limits and reports them in the response headers. */
export class RequestCounter {
  readonly #services: Services;
  readonly #facts: Pick<RequestFacts, 'address' | 'reportLimit'>;

  constructor(services: Services, facts: Pick<RequestFacts, 'address' | 'reportLimit'>) {
    this.#services = services;
    this.#facts = facts;
  }

  /** @throws {ServiceError} rate_limited */
  count(limit: RateLimit, key: string): Promise<void> {
    return countRequest(this.#services.stores.rateLimiter, limit, key, this.#facts.reportLimit);
  }

  /** @throws {ServiceError} rate_limited */
  countByAddress(limit: RateLimit): Promise<void> {
    return this.count(limit, addressKey(this.#facts.address));
  }

  /** Counts a request that no route handles. @throws {ServiceError} rate_limited */
  countUnrouted(): Promise<void> {
    return this.countByAddress(RATE_LIMITS.unroutedRequests);
  }

  /** Removes a request from a count, because a narrower limit counts it. */
  giveBackByAddress(limit: RateLimit): Promise<void> {
    return this.#services.stores.rateLimiter.refund(limit, addressKey(this.#facts.address));
  }

  /** Applies the limit of an end user, and those that an operator set for the key and the environment. */
  async countCaller(caller: Caller): Promise<void> {
    const { id, environment, limits } = caller;
    const { environmentPerMinute, requestsPerMinute } = limits;
    if (environmentPerMinute !== null) {
      await this.count(configuredLimit('environment', environmentPerMinute), environment.id);
    }
    if (caller.kind === 'end_user') await this.count(RATE_LIMITS.endUserRequests, endUserKey(caller));
    if (requestsPerMinute !== null) await this.count(configuredLimit('key', requestsPerMinute), id);
  }

  /**
   * Applies the limits of requests without credentials: the deployment's limit, or the default limits. The limit of turns
   * per conversation is applied when a turn is accepted.
   */
  async countAnonymous(
    { id, anonymousPerMinute }: AnonymousCaller,
    { isRead, conversationId }: { readonly isRead: boolean; readonly conversationId: string | null | undefined },
  ): Promise<void> {
    if (anonymousPerMinute !== null) {
      await this.count(
        configuredLimit('deploymentAnonymous', anonymousPerMinute),
        `${id}:${addressKey(this.#facts.address)}`,
      );
    } else if (isRead) {
      await this.countByAddress(RATE_LIMITS.anonymousReads);
    } else {
      await this.countByAddress(conversationId ? RATE_LIMITS.anonymousWrites : RATE_LIMITS.anonymousStarts);
    }
    if (isRead && conversationId) await this.count(RATE_LIMITS.conversationReads, conversationId);
  }
}

/** Returns a function that writes the `X-RateLimit` headers. The last reported limit wins. */
export function reportLimit(exchange: Pick<Exchange, 'setHeader'>): (notice: LimitNotice) => void {
  return ({ limit, result }) => {
    exchange.setHeader('RateLimit-Limit', String(limit.points));
    exchange.setHeader('RateLimit-Remaining', String(result.remaining));
    exchange.setHeader('RateLimit-Reset', String(result.resetSeconds));
    // The response of a GraphQL field over its limit has status 200, and so no header of its error.
    if (!result.allowed) exchange.setHeader('Retry-After', String(result.resetSeconds));
  };
}
