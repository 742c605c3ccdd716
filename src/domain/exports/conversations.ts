import { LIMITS } from '../../contract/limits.ts';
import { usageByColumn } from '../../contract/token-usage.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import type { ConversationFilter, ConversationOrder } from '../conversations/filter.ts';
import { firstConversations, orderedRows } from '../conversations/list.ts';
import { usageOfConversations } from '../conversations/usage.ts';
import { conversationData } from './conversation.ts';
import { type ExportLine, framed, type RowLine, SMALL_ROWS } from './lines.ts';

/**
 * Exports the result of a search as lines: a line per conversation in the order of the list, without its messages. With the
 * scope workflows:read the lines contain the usage. The export starts when the first line is requested.
 * @throws {ServiceError} as `listConversations`
 */
export async function* exportConversations(
  ctx: Context,
  filter: ConversationFilter,
  order: ConversationOrder | null | undefined,
): AsyncGenerator<ExportLine, undefined> {
  const { id, kind: environment } = ctx.environment;
  const at = ctx.now();
  const most = LIMITS.exportedConversations;
  const found = await firstConversations(ctx, filter, order, most + 1);
  await ctx.db.$executeRaw(
    insertAuditEntry(ctx, { action: 'conversations.exported', subjectId: id, details: { filter }, at }),
  );
  const about = { environment, started_at: at, truncated: found.length > most };
  yield* framed(about, linesOfResult(ctx, found.slice(0, most)));
}

async function* linesOfResult(ctx: Context, ids: readonly string[]): AsyncGenerator<RowLine, undefined> {
  const hasUsage = ctx.caller.scopes.has('workflows:read');
  for (let start = 0; start < ids.length; start += SMALL_ROWS) {
    const rows = await orderedRows(ctx, ids.slice(start, start + SMALL_ROWS), {});
    const usages = hasUsage
      ? await usageOfConversations(
          ctx,
          rows.map((row) => row.id),
        )
      : [];
    for (const [index, row] of rows.entries()) {
      yield {
        type: 'conversation',
        data: { ...conversationData(row), ...usageData(usages[index], ctx.services.settings.currency) },
      };
    }
  }
}

function usageData(
  usage: Awaited<ReturnType<typeof usageOfConversations>>[number] | undefined,
  currency: string,
): RowLine['data'] {
  if (!usage) return {};
  return {
    turns: usage.turns,
    failures: usage.failures,
    ...usageByColumn(usage),
    response_time_ms: usage.responseTimeMs,
    cost: usage.cost,
    currency,
  };
}
