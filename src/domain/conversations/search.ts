import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { withoutRowSecurity } from '../../db/scoped.ts';
import { type Sql, sqlIn } from '../../db/sql.ts';
import { withinTime } from '../../db/time-limit.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { needsGin } from './conditions.ts';
import {
  type ConversationFilter,
  type ConversationOrder,
  type ParsedFilter,
  parseFilter,
  readsUsage,
} from './filter.ts';

/** What a statement of a list depends on. */
export interface SearchOf {
  readonly filter: ParsedFilter;
  readonly order?: ConversationOrder | null | undefined;
  /** Whether it reads all matches, not a page. */
  readonly isReport?: boolean;
  /** The transaction of the page. */
  readonly tx?: Transaction | undefined;
}

/**
 * Checks the filter of a search. One request can need several statements with it, but this check only once.
 * @throws {ServiceError} as `parseFilter`, and invalid_request if no index finds the text
 */
export async function parseSearch(
  ctx: Context,
  filter: ConversationFilter,
  order?: ConversationOrder | null,
): Promise<ParsedFilter> {
  const parsed = parseFilter(ctx, filter, order);
  if (parsed.text) await requireFindable(ctx, parsed.text);
  return parsed;
}

/**
 * Runs the statements of a conversation list. They have their own condition on the environment. Statements whose cost grows with
 * the number of matches have a time limit.
 * @throws {ServiceError} invalid_request if it takes too long
 */
export async function runSearch<Result>(
  ctx: Context,
  { filter, order, isReport = false, tx }: SearchOf,
  statements: (sql: Sql) => Promise<Result[]>,
): Promise<Result[]> {
  if (tx) return statements(sqlIn(tx));
  if (!isReport && !isCostly(filter, order)) return statements(needsGin(filter) ? ctx.services.stores.sql : ctx.sql);
  const db = needsGin(filter) ? withoutRowSecurity(ctx.db) : ctx.db;
  const rows = await withinTime(db, LIMITS.searchSeconds, (limited) => statements(sqlIn(limited)));
  if (rows) return rows;
  throw new ServiceError(
    'invalid_request',
    `The search took longer than ${LIMITS.searchSeconds} seconds. Narrow it, for example with a period or a deployment.`,
  );
}

/** A text that only excludes words matches almost everything, and no index finds it. */
async function requireFindable({ sql }: Context, text: string): Promise<void> {
  const [row] = await sql.rows<{ isFindable: boolean }>`
    SELECT querytree(search_query(${text})) NOT IN ('', 'T') AS "isFindable"`;
  if (row?.isFindable) return;
  throw new ServiceError('invalid_request', '{param} must contain a word to find, not only words to exclude.', {
    param: ['text'],
  });
}

/** Whether the cost of a statement grows with the number of matches. */
export function isCostly(filter: ParsedFilter, order: ConversationOrder | null | undefined): boolean {
  return (
    Boolean(filter.text ?? filter.search ?? filter.workflowVersion ?? filter.errorCodes) || readsUsage(filter, order)
  );
}
