import type { Scope } from '../../contract/scopes.ts';
import type { Conversation } from '../../db/generated/client.ts';
import { type Keyset, readAllRows } from '../../db/keyset.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { fileLines, linesOfConversation } from './conversation.ts';
import { documentLines } from './documents.ts';
import { type ExportLine, framed, LARGE_ROWS, type RowLine } from './lines.ts';
import {
  endUserIssuerLines,
  eventLines,
  integrationLines,
  resourceLines,
  triggerLines,
  webhookLines,
  workflowLogLines,
} from './records.ts';

/** The scopes that reading each type of row requires. */
export const EXPORT_SCOPES: readonly Scope[] = [
  'conversations:read',
  'resources:read',
  'events:read',
  'triggers:read',
  'workflows:read',
  'integrations:manage',
  'webhooks:manage',
  'documents:read',
];

const CONVERSATIONS: Keyset<Conversation> = {
  list: 'exported conversations',
  columns: [
    { field: 'createdAt', type: 'date' },
    { field: 'id', type: 'string' },
  ],
  direction: 'asc',
};

/**
 * Exports all data of an environment as lines, without secrets: API keys, header values, signing secrets and stored
 * responses. The order is by type, then oldest first. The runs and items of a conversation, and the versions of a
 * document, follow it. There is no snapshot:
 * each page is read separately. The export starts when the first line is requested.
 */
export async function* exportEnvironment(ctx: Context): AsyncGenerator<ExportLine, undefined> {
  const { id, kind: environment, workspaceId } = ctx.environment;
  const at = ctx.now();
  await ctx.db.$executeRaw(insertAuditEntry(ctx, { action: 'environment.exported', subjectId: id, at }));
  yield* framed({ environment, workspace_id: workspaceId, started_at: at }, linesOfEnvironment(ctx));
}

async function* linesOfEnvironment(ctx: Context): AsyncGenerator<RowLine, undefined> {
  yield* resourceLines(ctx);
  yield* integrationLines(ctx);
  yield* webhookLines(ctx);
  yield* endUserIssuerLines(ctx);
  yield* triggerLines(ctx);
  yield* documentLines(ctx);
  const conversations = readAllRows(CONVERSATIONS, LARGE_ROWS, (query) => ctx.db.conversation.findMany(query));
  for await (const conversation of conversations) yield* linesOfConversation(ctx, conversation);
  yield* fileLines(ctx);
  yield* workflowLogLines(ctx);
  yield* eventLines(ctx);
}
