import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import {
  CONVERSATION_STATUSES,
  type ConversationStatus,
  RUN_STATUSES,
  type RunStatus,
} from '../../contract/statuses.ts';
import type { Conversation, Prisma } from '../../db/generated/client.ts';
import { type KeysetPage, keysetPage, newestFirst, type PageArgs } from '../../db/keyset.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import { type NumberedPage, numberedPage, type PageNumber } from '../page.ts';
import { KEY } from '../values-by-name.ts';

/** Conversations by last activity, newest first (WIRE 5). */
const CONVERSATIONS = newestFirst<Conversation>('conversations', 'updatedAt');

const conversationFilter = z.object({
  deploymentId: z.string().nullish(),
  status: z.enum(CONVERSATION_STATUSES).nullish(),
  /** Where the latest turn stands: in any of these. */
  runStatuses: z.array(z.enum(RUN_STATUSES)).min(1, 'must not be empty').nullish(),
  /** Equality with the value's text; several all hold (WIRE 6). */
  meta: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()], 'must be a string, a number or a boolean'))
    .refine((map) => Object.keys(map).length <= LIMITS.metaKeys, `must have at most ${LIMITS.metaKeys} keys`)
    .nullish(),
  /** Part of the name, in either case. */
  search: z
    .string()
    .min(1, 'must not be empty')
    .max(LIMITS.searchLength, `must have at most ${LIMITS.searchLength} characters`)
    .nullish(),
});

/** Which conversations a list holds; all conditions hold. */
export interface ConversationFilter {
  readonly deploymentId?: string | null | undefined;
  readonly status?: ConversationStatus | null | undefined;
  readonly runStatuses?: readonly RunStatus[] | null | undefined;
  readonly meta?: Readonly<Record<string, unknown>> | null | undefined;
  readonly search?: string | null | undefined;
}

/** How a meta entry is found again: by its key and its value's text. */
export function metaLabel(key: string, value: string | number | boolean): string {
  return `${key}=${value}`;
}

/** A keyset page of the environment's conversations, with what `query` selects of them. */
export function listConversations(
  ctx: Context,
  args: PageArgs,
  filter: ConversationFilter,
  query: object,
  db: Transaction = ctx.db,
): Promise<KeysetPage<Conversation>> {
  const conditions = conditionsOf(filter);
  const binding = { secret: ctx.services.secretKey, filters: [ctx.environment.id, conditions] };
  return keysetPage(CONVERSATIONS, args, binding, {
    find: ({ where, orderBy, take }) =>
      db.conversation.findMany({ ...query, where: { AND: [conditions, ...where.AND] }, orderBy, take }),
    count: () => ctx.db.conversation.count({ where: conditions }),
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
  return numberedPage(page, {
    count: () => ctx.db.conversation.count({ where }),
    find: (range) =>
      ctx.db.conversation.findMany({ ...query, ...range, where, orderBy: [{ updatedAt: 'desc' }, { id: 'desc' }] }),
  });
}

function conditionsOf(filter: ConversationFilter): Prisma.ConversationWhereInput {
  const { deploymentId, status, runStatuses, meta, search } = parseInput(conversationFilter, filter);
  // No stored label begins with "=", so a key that no conversation can have matches nothing.
  const labels = Object.entries(meta ?? {}).map(([key, value]) => metaLabel(KEY.test(key) ? key : '', value));
  return {
    ...(deploymentId && { deploymentId }),
    ...(status && { status }),
    ...(runStatuses && latestRunIn(runStatuses)),
    ...(search && { name: { contains: search, mode: 'insensitive' } }),
    ...(labels.length > 0 && { metaLabels: { hasEvery: labels } }),
  };
}

/** Of a conversation's turns the latest alone is at work or waits, and of those there is an index. */
function latestRunIn(statuses: readonly RunStatus[]): Prisma.ConversationWhereInput {
  const status = { in: [...statuses] };
  const isUnderWay = statuses.every((one) => one === 'running' || one === 'waiting_for_client_action');
  return isUnderWay ? { runs: { some: { status } } } : { latestRun: { status } };
}
