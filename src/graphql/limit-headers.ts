import type { LimitNotice } from '../domain/access/rate-limits.ts';

/** Writes the headers of WIRE 14 for each limit that a request is counted under. */
export function tellLimit(setHeader: (name: string, value: string) => void): (notice: LimitNotice) => void {
  return ({ limit, allowance }) => {
    setHeader('RateLimit-Limit', String(limit.points));
    setHeader('RateLimit-Remaining', String(allowance.remaining));
    setHeader('RateLimit-Reset', String(allowance.resetSeconds));
    if (!allowance.allowed) setHeader('Retry-After', String(allowance.resetSeconds));
  };
}
