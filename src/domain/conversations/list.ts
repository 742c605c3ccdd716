import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import {
  CONVERSATION_STATUSES,
  type ConversationStatus,
  RUN_STATUSES,
  type RunStatus,
} from '../../contract/statuses.ts';
import type { Conversation, Prisma } from '../../db/generated/client.ts';
import { type ListOrder, newestFirst, ordered } from '../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset-page.ts';
import { type ScopedDb, withoutRowSecurity } from '../../db/scoped.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import { type NumberedPage, numberedPage, type PageNumber } from '../page.ts';
import { type Period, withinPeriod } from '../period.ts';
import { KEY, valuesByAnyKey } from '../values-by-name.ts';

/** Conversations by last activity, newest first (WIRE 5). */
const CONVERSATIONS = newestFirst<Conversation>('conversations', 'updatedAt');

const conversationFilter = z.object({
  deploymentId: z.string().nullish(),
  status: z.enum(CONVERSATION_STATUSES).nullish(),
  /** The latest turn has any of these statuses. */
  runStatuses: z.array(z.enum(RUN_STATUSES)).min(1, 'must not be empty').nullish(),
  /** Compares the value's text. All entries must match (WIRE 6). */
  meta: valuesByAnyKey(
    z.union([z.string(), z.number(), z.boolean()], 'must be a string, a number or a boolean'),
    LIMITS.metaKeys,
  ).nullish(),
  /** A part of the name, case-insensitive. */
  search: z
    .string()
    .min(1, 'must not be empty')
    .max(LIMITS.searchLength, `must have at most ${LIMITS.searchLength} characters`)
    .nullish(),
});

/** The filter of a conversation list. All conditions must hold. */
export interface ConversationFilter {
  readonly deploymentId?: string | null | undefined;
  readonly status?: ConversationStatus | null | undefined;
  readonly runStatuses?: readonly RunStatus[] | null | undefined;
  readonly meta?: Readonly<Record<string, unknown>> | null | undefined;
  readonly search?: string | null | undefined;
  readonly createdAt?: Period | null | undefined;
  /** The time of the latest activity. */
  readonly updatedAt?: Period | null | undefined;
}

/** The order of a conversation list. */
export type ConversationOrder = ListOrder<'createdAt' | 'updatedAt'>;

/** The index entry of a meta value: its key and its text. */
export function metaLabel(key: string, value: string | number | boolean): string {
  return `${key}=${value}`;
}

/** A keyset page of the environment's conversations, with the fields that `query` selects. */
export function listConversations(
  ctx: Context,
  args: PageArgs,
  filter: ConversationFilter,
  {
    query,
    order,
    db = clientFor(ctx, filter),
  }: { readonly query: object; readonly order?: ConversationOrder | null | undefined; readonly db?: Transaction },
): Promise<KeysetPage<Conversation>> {
  const conditions = conditionsOf(filter);
  const binding = { secret: ctx.services.secretKey, filters: [ctx.environment.id, conditions] };
  return keysetPage(ordered(CONVERSATIONS, order), args, binding, {
    find: ({ where, orderBy, take }) =>
      db.conversation.findMany({ ...query, where: { AND: [conditions, ...where.AND] }, orderBy, take }),
    count: () => clientFor(ctx, filter).conversation.count({ where: conditions }),
  });
}

/** The same list by page number (SPEC 4.6). */
export function conversationPage(
  ctx: Context,
  page: PageNumber,
  filter: ConversationFilter,
  query: object,
): Promise<NumberedPage<Conversation>> {
  const where = conditionsOf(filter);
  const db = clientFor(ctx, filter);
  return numberedPage(page, {
    count: () => db.conversation.count({ where }),
    find: (range) =>
      db.conversation.findMany({ ...query, ...range, where, orderBy: [{ updatedAt: 'desc' }, { id: 'desc' }] }),
  });
}

/** A GIN index finds meta entries. */
function clientFor(ctx: Context, { meta }: ConversationFilter): ScopedDb {
  return meta && Object.keys(meta).length > 0 ? withoutRowSecurity(ctx.db) : ctx.db;
}

function conditionsOf(filter: ConversationFilter): Prisma.ConversationWhereInput {
  const { deploymentId, status, runStatuses, meta, search } = parseInput(conversationFilter, filter);
  const createdAt = withinPeriod('createdAt', filter.createdAt);
  const updatedAt = withinPeriod('updatedAt', filter.updatedAt);
  // No stored label begins with "=", so a key that is not valid matches nothing.
  const labels = Object.entries(meta ?? {}).map(([key, value]) => metaLabel(KEY.test(key) ? key : '', value));
  return {
    ...(deploymentId && { deploymentId }),
    ...(status && { status }),
    ...(runStatuses && latestRunIn(runStatuses)),
    ...(search && { name: { contains: search, mode: 'insensitive' } }),
    ...(createdAt && { createdAt }),
    ...(updatedAt && { updatedAt }),
    ...(labels.length > 0 && { metaLabels: { hasEvery: labels } }),
  };
}

/** Only the latest turn of a conversation can be active, and an index covers active runs. */
function latestRunIn(statuses: readonly RunStatus[]): Prisma.ConversationWhereInput {
  const status = { in: [...statuses] };
  const isActive = statuses.every((one) => one === 'running' || one === 'waiting_for_client_action');
  return isActive ? { runs: { some: { status } } } : { latestRun: { status } };
}
