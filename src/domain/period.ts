import { z } from 'zod';
import { ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { parseInput } from './input.ts';

/** PostgreSQL numbers years before year 1 differently from ISO 8601. */
const FIRST_YEAR = Date.parse('0001-01-01T00:00:00Z');

const instant = z.date().refine((date) => date.getTime() >= FIRST_YEAR, 'must not be before the year 1');

/** A period of a list or a report: `from` is inclusive, `to` exclusive. */
export const periodInput = z.object({ from: instant.nullish(), to: instant.nullish() }).refine(
  ({ from, to }) => !from || !to || from <= to,
  // The caller's order of words: `from` must be earlier.
  { path: ['from'], message: 'must not be after to' },
);

/** A period in a filter. */
export interface Period {
  /** Inclusive. */
  readonly from?: Date | null | undefined;
  /** Exclusive. */
  readonly to?: Date | null | undefined;
}

/**
 * The condition for a date column. Undefined without a bound.
 * @throws {ServiceError} invalid_request, with the name of the field in the filter
 */
export function withinPeriod(field: string, period: Period | null | undefined): { gte?: Date; lt?: Date } | undefined {
  // Most lists have no period. A schema costs more than their statement.
  if (!period) return undefined;
  parseInput(z.object({ [field]: periodInput }), { [field]: period });
  const { from, to } = period;
  return from || to ? { ...(from && { gte: from }), ...(to && { lt: to }) } : undefined;
}

/** The period of a report. */
export interface BoundedPeriod {
  /** Inclusive. */
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
}

const DAY_MS = 86_400_000;

/** @throws {ServiceError} invalid_request if the period is too long for a report, or ends before it starts */
export function checkReportPeriod(period: BoundedPeriod): BoundedPeriod {
  parseInput(z.object({ period: periodInput }), { period });
  const { from, to } = period;
  if (to.getTime() - from.getTime() <= LIMITS.usageDays * DAY_MS) return period;
  const message = `{param} must be at most ${LIMITS.usageDays} days after from.`;
  throw new ServiceError('invalid_request', message, { param: ['period', 'to'] });
}
