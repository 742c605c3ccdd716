import { usageByColumn } from '../../contract/token-usage.ts';
import type { Conversation, ConversationNote, Run, TimelineItem } from '../../db/generated/client.ts';
import { type Keyset, readAllRows } from '../../db/keyset.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { ratingOf } from '../conversations/rate-message.ts';
import { findConversation } from '../conversations/reads.ts';
import type { StoredSummary } from '../conversations/timeline.ts';
import { visibleArguments, visibleOutput } from '../conversations/visible-calls.ts';
import { exportedFiles } from '../files/export.ts';
import type { Author, HandlingChange } from '../handling/handling-state.ts';
import { type ExportLine, framed, LARGE_ROWS, linesOf, type RowLine, SMALL_ROWS } from './lines.ts';

const ITEMS: Keyset<TimelineItem> = {
  list: 'exported items',
  columns: [{ field: 'id', type: 'bigint' }],
  direction: 'asc',
};

const RUNS: Keyset<Run> = {
  list: 'exported runs',
  columns: [
    { field: 'createdAt', type: 'date' },
    { field: 'id', type: 'string' },
  ],
  direction: 'asc',
};

const NOTES: Keyset<ConversationNote> = {
  list: 'exported notes',
  columns: [
    { field: 'createdAt', type: 'date' },
    { field: 'id', type: 'string' },
  ],
  direction: 'asc',
};

/**
 * Exports a conversation as lines: the conversation, its runs, its timeline, the notes of the team and its uploaded files, each oldest first. The export starts when
 * the first line is requested.
 * @throws {ServiceError} not_found
 */
export async function* exportConversation(ctx: Context, conversationId: string): AsyncGenerator<ExportLine, undefined> {
  const conversation = await findConversation(ctx, { conversationId }, {});
  const at = ctx.now();
  await ctx.db.$executeRaw(insertAuditEntry(ctx, { action: 'conversation.exported', subjectId: conversationId, at }));
  const { kind: environment } = ctx.environment;
  yield* framed({ environment, conversation_id: conversationId, started_at: at }, linesWithFiles(ctx, conversation));
}

async function* linesWithFiles(ctx: Context, conversation: Conversation): AsyncGenerator<RowLine, undefined> {
  yield* linesOfConversation(ctx, conversation);
  yield* fileLines(ctx, conversation.id);
}

/** The uploaded files, without their bytes. */
export function fileLines(ctx: Context, conversationId?: string): AsyncGenerator<RowLine, undefined> {
  return linesOf('file', exportedFiles(ctx, conversationId), (file) => file);
}

export async function* linesOfConversation(
  ctx: Context,
  conversation: Conversation,
): AsyncGenerator<RowLine, undefined> {
  const { id: conversationId } = conversation;
  yield { type: 'conversation', data: conversationData(conversation) };
  const runs = readAllRows(RUNS, SMALL_ROWS, ({ where, ...query }) =>
    ctx.db.run.findMany({ where: { ...where, conversationId }, ...query }),
  );
  yield* linesOf('run', runs, runData);
  const items = readAllRows(ITEMS, LARGE_ROWS, ({ where, ...query }) =>
    ctx.db.timelineItem.findMany({ where: { ...where, conversationId }, ...query }),
  );
  yield* linesOf('item', items, (row) => itemData(ctx, row));
  if (ctx.caller.scopes.has('conversations:handle')) yield* noteLines(ctx, conversationId);
}

/** Notes are for the team, so an export for an end user does not contain them. */
function noteLines(ctx: Context, conversationId: string): AsyncGenerator<RowLine, undefined> {
  const notes = readAllRows(NOTES, SMALL_ROWS, ({ where, ...query }) =>
    ctx.db.conversationNote.findMany({ where: { ...where, conversationId }, ...query }),
  );
  return linesOf('note', notes, ({ id, text, author, createdAt }) => ({
    note_id: id,
    conversation_id: conversationId,
    text,
    ...authorData({ author }),
    created_at: createdAt,
  }));
}

export function conversationData(row: Conversation): RowLine['data'] {
  return {
    conversation_id: row.id,
    deployment_id: row.deploymentId,
    end_user: row.endUser,
    name: row.name,
    status: row.status,
    completed_at: row.completedAt,
    variables: row.variables,
    meta: row.meta,
    message_count: row.messageCount,
    ...(row.forkedFrom !== null && { forked_from: row.forkedFrom }),
    ...(row.workflowVersion !== null && { workflow_version: row.workflowVersion }),
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

function runData(row: Run): RowLine['data'] {
  return {
    run_id: row.id,
    conversation_id: row.conversationId,
    run_status: row.status,
    agent: row.agent,
    ...(row.handledBy && { handled_by: row.handledBy }),
    workflow_version: row.workflowVersion,
    model: row.model,
    ...usageByColumn(row),
    error_code: row.errorCode,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

/** The fields of the history. Arguments and output of server tools are private. */
function itemData({ caller }: Context, row: TimelineItem): RowLine['data'] {
  return {
    id: Number(row.id),
    conversation_id: row.conversationId,
    run_id: row.runId,
    type: row.kind,
    ...(row.kind === 'message' && { role: row.role, content: row.content, ...authorData(row), ...ratingData(row) }),
    ...(row.callId !== null && { call_id: row.callId, name: row.name, status: row.status }),
    ...(row.kind === 'client_tool' && {
      ...{ arguments: visibleArguments(caller, row), output: visibleOutput(caller, row) },
    }),
    ...summaryData(caller, row),
    ...handlingData(caller, row),
    ...(row.supersededBy !== null && { superseded_by: Number(row.supersededBy) }),
    created_at: row.createdAt,
  };
}

/** A summary can contain what the arguments and the results of server tools contain, so its text needs the same scope. */
function summaryData({ scopes }: Context['caller'], { summary }: TimelineItem): RowLine['data'] {
  if (summary === null) return {};
  const { text, model, tokens, firstItemId, lastItemId } = summary as unknown as StoredSummary;
  const covered = { tokens, first_item_id: Number(firstItemId), last_item_id: Number(lastItemId) };
  return scopes.has('traces:read') ? { text, model, ...covered } : covered;
}

/** Only messages of persons have it, like in the history. */
function authorData({ author }: Pick<TimelineItem, 'author'>): RowLine['data'] {
  if (author === null) return {};
  const { displayName, kind } = author as unknown as Author;
  return { author: { display_name: displayName, kind } };
}

/** End users read who answered, and nothing of what the team says to the assistant. */
function handlingData({ scopes }: Context['caller'], { handling }: TimelineItem): RowLine['data'] {
  if (handling === null) return {};
  const { mode, author, cause, urgency, reason, summary, instructions } = handling as unknown as HandlingChange;
  const known = { mode, ...authorData({ author: (author ?? null) as TimelineItem['author'] }) };
  if (!scopes.has('conversations:handle')) return known;
  const forTeam = { cause, urgency, reason, hand_back_summary: summary, instructions };
  return { ...known, ...Object.fromEntries(Object.entries(forTeam).filter(([, value]) => value != null)) };
}

/** Only rated replies have it, like in the history. */
function ratingData(row: TimelineItem): RowLine['data'] {
  const rating = ratingOf(row);
  if (!rating) return {};
  const { value, comment, ratedAt } = rating;
  return { rating: { value, comment, rated_at: ratedAt } };
}
