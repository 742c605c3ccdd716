import { z } from 'zod';
import { type ErrorCode, ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { ConversationStatus, HandlingMode, RatingValue, RunStatus } from '../../contract/statuses.ts';
import type { ListOrder } from '../../db/keyset.ts';
import { required, rulesOf } from '../../shapes/field.ts';
import { AMOUNT_RANGE, CONVERSATION_FILTER, INT_RANGE } from '../../shapes/filters.ts';
import { type Reach, reachOf } from '../access/reach.ts';
import { requireScope } from '../access/scopes.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import { type Period, periodInput } from '../period.ts';
import { requireAssignmentScope } from './assignment/filter.ts';

/** A range of numbers. Both bounds belong to it. */
export interface Range {
  readonly min?: number | null | undefined;
  readonly max?: number | null | undefined;
}

/** The filter of a conversation list. All conditions must hold. */
export interface ConversationFilter {
  readonly deploymentId?: string | null | undefined;
  readonly status?: ConversationStatus | null | undefined;
  /** The latest turn has any of these statuses. */
  readonly runStatuses?: readonly RunStatus[] | null | undefined;
  /** A reply has this rating. */
  readonly rating?: RatingValue | null | undefined;
  /** The assistant, nobody yet or a person answers its user. */
  readonly handling?: readonly HandlingMode[] | null | undefined;
  /** The ID of the member to whom it is assigned. */
  readonly assignee?: string | null | undefined;
  /** Whether it is assigned to a member. */
  readonly isAssigned?: boolean | null | undefined;
  /** Compares the value's text. All entries must match. */
  readonly meta?: Readonly<Record<string, unknown>> | null | undefined;
  /** A part of the name, case-insensitive. */
  readonly search?: string | null | undefined;
  /** Words of one message or of the name. */
  readonly text?: string | null | undefined;
  /** The ID of the conversation, or of something in it. */
  readonly anyId?: string | null | undefined;
  /** A turn ran this version. */
  readonly workflowVersion?: number | null | undefined;
  /** A turn failed with any of these errors. */
  readonly errorCodes?: readonly ErrorCode[] | null | undefined;
  /** Milliseconds of the slowest turn. */
  readonly responseTimeMs?: Range | null | undefined;
  readonly cost?: Range | null | undefined;
  readonly createdAt?: Period | null | undefined;
  /** The time of the latest activity. */
  readonly updatedAt?: Period | null | undefined;
}

/** The columns that can sort the list. */
export const CONVERSATION_ORDER_FIELDS = [
  'created_at',
  'updated_at',
  'message_count',
  'response_time_ms',
  'cost',
  'handling_since',
] as const;

/** The order of a conversation list. */
export type ConversationOrder = ListOrder<(typeof CONVERSATION_ORDER_FIELDS)[number]>;

/** The parts of a text that PostgreSQL can read as words. */
const WORDS = /[\p{L}\p{N}]+/gu;

const words = required(CONVERSATION_FILTER.fields.text).rule.check(
  z.superRefine((text, context) => {
    const count = text.match(WORDS)?.length ?? 0;
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    if (count === 0) refuse('must contain a letter or a digit');
    else if (count > LIMITS.searchWords) refuse(`must have at most ${LIMITS.searchWords} words`);
  }),
);

const inOrder = z.refine<Range>(({ min, max }) => min == null || max == null || min <= max, {
  path: ['min'],
  message: 'must not be more than max',
});

const conversationFilter = z.object({
  ...rulesOf(CONVERSATION_FILTER.fields),
  deploymentId: z.string().nullish(),
  text: z.nullish(words),
  responseTimeMs: z.object(rulesOf(INT_RANGE.fields)).check(inOrder).nullish(),
  cost: z.object(rulesOf(AMOUNT_RANGE.fields)).check(inOrder).nullish(),
  createdAt: periodInput.nullish(),
  updatedAt: periodInput.nullish(),
});

/** A valid filter, within the reach of the caller. */
export type ParsedFilter = z.output<typeof conversationFilter> & { readonly reach?: Reach };

/** REST sends a range or a period even if the request has neither of its bounds. */
function isSet(value: unknown): boolean {
  if (value === null || value === undefined) return false;
  const isPlain = typeof value === 'object' && !Array.isArray(value);
  return !isPlain || Object.values(value).some((bound) => bound !== null && bound !== undefined);
}

/**
 * Checks a filter, and whether the caller can read what it compares. Fields without a value are left out.
 * @throws {ServiceError} invalid_request; forbidden if the filter or the order needs the usage, or the filter the assignee
 */
export function parseFilter(
  { caller }: Pick<Context, 'caller'>,
  filter: ConversationFilter,
  order?: ConversationOrder | null,
): ParsedFilter {
  const entries = Object.entries(parseInput(conversationFilter, filter));
  const reach = reachOf(caller);
  const set = Object.fromEntries(entries.filter(([, value]) => isSet(value))) as ParsedFilter;
  const parsed = reach ? { ...set, reach } : set;
  if (readsUsage(parsed, order)) requireScope(caller, 'workflows:read');
  requireAssignmentScope(caller, parsed);
  if (order?.field === 'handling_since') requireHandled(parsed);
  return parsed;
}

/** Conversations that the assistant has always answered have no time. */
function requireHandled({ handling }: ParsedFilter): void {
  if (handling && !handling.includes('assistant')) return;
  const message =
    'The order by HANDLING_SINCE needs {param} with WAITING, MEMBER or both: the assistant can have answered a conversation since it exists.';
  throw new ServiceError('invalid_request', message, { param: ['handling'] });
}

/** Whether the list depends on response times or costs. */
export function readsUsage(filter: ParsedFilter, order?: ConversationOrder | null): boolean {
  return filter.responseTimeMs != null || order?.field === 'response_time_ms' || readsCost(filter, order);
}

/** Whether the list depends on costs, which need the prices. */
export function readsCost({ cost }: ParsedFilter, order?: ConversationOrder | null): boolean {
  return cost != null || order?.field === 'cost';
}
