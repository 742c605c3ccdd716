import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { withoutRowSecurity } from '../../db/scoped.ts';
import { type Sql, sqlIn } from '../../db/sql.ts';
import { withinTime } from '../../db/time-limit.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { needsGin } from './conditions.ts';
import { type ConversationOrder, type ParsedFilter, readsLog } from './filter.ts';

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
 * Runs a statement of a conversation list. It has its own condition on the environment. Statements whose cost grows with
 * the number of matches have a time limit.
 * @throws {ServiceError} invalid_request if it takes too long
 */
export async function runSearch<Result>(
  ctx: Context,
  { filter, order, isReport = false, tx }: SearchOf,
  statement: (sql: Sql) => Promise<Result[]>,
): Promise<Result[]> {
  if (filter.text) await requireFindable(ctx, filter.text);
  if (tx) return statement(sqlIn(tx));
  const db = needsGin(filter) ? withoutRowSecurity(ctx.db) : ctx.db;
  if (!isReport && !isCostly(filter, order)) return statement(needsGin(filter) ? sqlIn(db) : ctx.sql);
  const rows = await withinTime(db, LIMITS.searchSeconds, (limited) => statement(sqlIn(limited)));
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

function isCostly(filter: ParsedFilter, order: ConversationOrder | null | undefined): boolean {
  return (
    Boolean(filter.text ?? filter.search ?? filter.workflowVersion ?? filter.errorCodes) || readsLog(filter, order)
  );
}
