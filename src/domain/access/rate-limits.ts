import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Allowance, RateLimit, RateLimiter } from '../../db/rate-limiter.ts';

/** The limits of WIRE 14, by whom they count. */
export const RATE_LIMITS = {
  /** Requests without credentials, by address. */
  anonymous: { name: 'anonymous', points: 120, seconds: 60 },
  /** Requests of a visitor, from whichever address. */
  visitor: { name: 'visitor', points: 120, seconds: 60 },
  /** Turns of anonymous callers, by conversation. */
  anonymousTurns: { name: 'anonymous-turns', points: 30, seconds: 60 },
  /** Public reads of triggers, by address: ids are short, and nobody shall try them out. */
  triggerRead: { name: 'trigger-read', points: 60, seconds: 60 },
  /** Public reads of invitations, by address. */
  invitationRead: { name: 'invitation-read', points: 60, seconds: 60 },
  /** Attempts to sign in. */
  signInByAccount: { name: 'sign-in-account', points: 10, seconds: 60 },
  signInByAddress: { name: 'sign-in-address', points: 10, seconds: 60 },
} as const satisfies Record<string, RateLimit>;

const RATE_RULE = `must be a whole number from 1 to ${LIMITS.ratePerMinute}, or null`;

/** A rate as an operator sets it; null for none of one's own. */
export const ratePerMinute = z.int(RATE_RULE).min(1, RATE_RULE).max(LIMITS.ratePerMinute, RATE_RULE).nullish();

/** What operators set: none of these holds by itself. */
const SET_LIMITS = {
  key: 'api-key',
  environment: 'environment',
  deploymentTurns: 'deployment-turns',
  deploymentAnonymous: 'deployment-anonymous',
  conversationTurns: 'anonymous-turns',
} as const;

/** A limit that an operator has set. */
export function setLimit(kind: keyof typeof SET_LIMITS, perMinute: number): RateLimit {
  return { name: SET_LIMITS[kind], points: perMinute, seconds: 60 };
}

/**
 * The key that an address is counted by. Whoever has one IPv6 address has the 2^64 of its network, so that is counted
 * as one.
 */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/64`).toString();
}

/** What a caller is told of the limit that a request was counted under, on every answer. */
export interface LimitNotice {
  readonly limit: RateLimit;
  readonly allowance: Allowance;
}

/**
 * Counts a request. `tell` hears of the count before anything is refused.
 * @throws {ServiceError} rate_limited
 */
export async function countRequest(
  limiter: RateLimiter,
  limit: RateLimit,
  key: string,
  tell: (notice: LimitNotice) => void,
): Promise<void> {
  const allowance = await limiter.take(limit, key);
  tell({ limit, allowance });
  if (allowance.allowed) return;
  const wait = `Try again in ${allowance.resetSeconds} s.`;
  throw new ServiceError('rate_limited', `These are more requests than ${limit.points} in ${limit.seconds} s. ${wait}`);
}
