import { z } from 'zod';
import { EVENT_TYPES } from '../../contract/events.ts';
import { parseInput } from '../input.ts';
import { periodInput } from '../period.ts';

/** Which events a reader wants; all conditions hold. */
export interface EventFilter {
  readonly resourceId?: string | null | undefined;
  /** Any of these; all types where it is left out. */
  readonly types?: readonly string[] | null | undefined;
}

/** The same, and when they happened. */
export interface EventListFilter extends EventFilter {
  /** Inclusive. */
  readonly from?: Date | null | undefined;
  /** Exclusive. */
  readonly to?: Date | null | undefined;
}

const KNOWN: ReadonlySet<string> = new Set(EVENT_TYPES);

/** Types of events that somebody wants; all where they are left out. */
export const eventTypesInput = z
  .array(z.string())
  .min(1, 'must hold at least one type')
  .refine((types) => types.every((type) => KNOWN.has(type)), `must be one of ${EVENT_TYPES.join(', ')}`)
  .nullish();

const eventFilter = z.object({ resourceId: z.string().nullish(), types: eventTypesInput });

/** A filter in the one form that cursors are bound to. */
export interface CheckedFilter {
  readonly resourceId: string | null;
  readonly types: readonly string[] | null;
}

/** @throws {ServiceError} invalid_request */
export function checkFilter(filter: EventFilter): CheckedFilter {
  const { resourceId, types } = parseInput(eventFilter, filter);
  return { resourceId: resourceId ?? null, types: types ? [...new Set(types)].sort() : null };
}

/** @throws {ServiceError} invalid_request */
export function checkListFilter(filter: EventListFilter): CheckedFilter & { from: Date | null; to: Date | null } {
  const checked = checkFilter(filter);
  const { from, to } = parseInput(periodInput, filter);
  return { ...checked, from: from ?? null, to: to ?? null };
}
