import { z } from 'zod';
import type { Scope } from '../../contract/scopes.ts';
import { CHANGE_EVENT_TYPES, EVENT_TYPES, LIFECYCLE_EVENT_TYPES } from '../../contract/statuses.ts';
import { parseInput } from '../input.ts';
import type { Period } from '../period.ts';

/** Further events that a reader can request. `runs`: the lifecycle events. */
export const EVENT_INCLUDES = ['runs'] as const;

/** A filter of events. All conditions must hold. */
export interface EventFilter {
  readonly resourceId?: string | null | undefined;
  /** Default: the types of `include`, and the changes of resources and integrations. */
  readonly types?: readonly string[] | null | undefined;
  readonly include?: readonly string[] | null | undefined;
}

/** A filter of lifecycle events. All conditions must hold. */
export interface RunEventFilter {
  readonly conversationId?: string | null | undefined;
  readonly deploymentId?: string | null | undefined;
  /** Default: all lifecycle events. */
  readonly types?: readonly string[] | null | undefined;
}

/** An event filter with a period. */
export interface EventListFilter extends EventFilter {
  readonly occurredAt?: Period | null | undefined;
}

/** The scope that lifecycle events need: they contain the IDs of conversations. */
export const LIFECYCLE_SCOPE = 'conversations:read' satisfies Scope;

const CHANGES: ReadonlySet<string> = new Set(CHANGE_EVENT_TYPES);

/** Whether one of these types is a lifecycle event. */
export function hasLifecycleType(types: readonly string[] | null | undefined): boolean {
  return types?.some((type) => !CHANGES.has(type)) ?? false;
}

/** A list of event types. */
export const eventTypesInput = typesInput(EVENT_TYPES);

function typesInput(valid: readonly string[]) {
  return z
    .array(z.string())
    .min(1, 'must contain at least one type')
    .refine((types) => types.every((type) => valid.includes(type)), `must be one of ${valid.join(', ')}`)
    .nullish();
}

const eventFilter = z.object({
  resourceId: z.string().nullish(),
  types: eventTypesInput,
  include: z.array(z.enum(EVENT_INCLUDES)).nullish(),
});

const runEventFilter = z.object({
  conversationId: z.string().nullish(),
  deploymentId: z.string().nullish(),
  types: typesInput(LIFECYCLE_EVENT_TYPES),
});

/** A normalized filter. Cursors are bound to this form. */
export interface CheckedFilter {
  readonly resourceId: string | null;
  readonly types: readonly string[] | null;
  /** The part of the log: changes of resources and integrations, lifecycle events, or both. */
  readonly part: 'changes' | 'runs' | 'all';
  readonly conversationId: string | null;
  readonly deploymentId: string | null;
}

/** The filter of a reader who requests nothing. */
export const ALL_CHANGES: CheckedFilter = {
  resourceId: null,
  types: null,
  part: 'changes',
  conversationId: null,
  deploymentId: null,
};

/** @throws {ServiceError} invalid_request */
export function checkFilter(filter: EventFilter): CheckedFilter {
  const { resourceId, types, include } = parseInput(eventFilter, filter);
  // Types are exact, so `include` adds nothing to them.
  const hasRuns = types ? hasLifecycleType(types) : include?.includes('runs');
  return { ...ALL_CHANGES, resourceId: resourceId ?? null, types: sorted(types), part: hasRuns ? 'all' : 'changes' };
}

/** @throws {ServiceError} invalid_request */
export function checkRunFilter(filter: RunEventFilter): CheckedFilter {
  const { conversationId, deploymentId, types } = parseInput(runEventFilter, filter);
  return {
    ...ALL_CHANGES,
    types: sorted(types),
    part: 'runs',
    conversationId: conversationId ?? null,
    deploymentId: deploymentId ?? null,
  };
}

/** What binds a cursor to the part of the log. It is empty for changes, so cursors of earlier versions stay valid. */
export function partBinding({ part, conversationId, deploymentId }: CheckedFilter): readonly unknown[] {
  return part === 'changes' ? [] : [part, conversationId, deploymentId];
}

function sorted(types: readonly string[] | null | undefined): readonly string[] | null {
  return types ? [...new Set(types)].sort() : null;
}
