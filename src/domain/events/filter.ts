import { z } from 'zod';
import { EVENT_TYPES } from '../../contract/statuses.ts';
import { parseInput } from '../input.ts';
import type { Period } from '../period.ts';

/** A filter of events. All conditions must hold. */
export interface EventFilter {
  readonly resourceId?: string | null | undefined;
  /** Default: all types. */
  readonly types?: readonly string[] | null | undefined;
}

/** An event filter with a period. */
export interface EventListFilter extends EventFilter {
  readonly occurredAt?: Period | null | undefined;
}

const VALID_TYPES: ReadonlySet<string> = new Set(EVENT_TYPES);

/** A list of event types. Default: all types. */
export const eventTypesInput = z
  .array(z.string())
  .min(1, 'must contain at least one type')
  .refine((types) => types.every((type) => VALID_TYPES.has(type)), `must be one of ${EVENT_TYPES.join(', ')}`)
  .nullish();

const eventFilter = z.object({ resourceId: z.string().nullish(), types: eventTypesInput });

/** A normalized filter. Cursors are bound to this form. */
export interface CheckedFilter {
  readonly resourceId: string | null;
  readonly types: readonly string[] | null;
}

/** @throws {ServiceError} invalid_request */
export function checkFilter(filter: EventFilter): CheckedFilter {
  const { resourceId, types } = parseInput(eventFilter, filter);
  return { resourceId: resourceId ?? null, types: types ? [...new Set(types)].sort() : null };
}
