import type { Scope } from '../../contract/scopes.ts';
import type { Conversation } from '../../db/generated/client.ts';
import { everyRow, type Keyset } from '../../db/keyset.ts';
import { audited } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { linesOfConversation } from './conversation.ts';
import { type ExportLine, framed, LARGE_ROWS, type RowLine } from './lines.ts';
import {
  eventLines,
  integrationLines,
  resourceLines,
  triggerLines,
  webhookLines,
  workflowLogLines,
} from './records.ts';

/** What reading each kind of line by itself asks for. */
export const EXPORT_SCOPES: readonly Scope[] = [
  'conversations:read',
  'resources:read',
  'events:read',
  'triggers:read',
  'workflows:read',
  'integrations:manage',
  'webhooks:manage',
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
 * Everything that an environment keeps, line by line, without secrets: keys, sealed headers, signing secrets and kept
 * answers are not among it. Kind by kind, each oldest first, a conversation with what belongs to it; each page as it is
 * when it is read. Nothing happens until the first line is asked for.
 */
export async function* exportEnvironment(ctx: Context): AsyncGenerator<ExportLine, undefined> {
  const { id, kind: environment, workspaceId } = ctx.environment;
  const at = ctx.now();
  await ctx.db.$executeRaw(audited(ctx, { action: 'environment.exported', subjectId: id, at }));
  yield* framed({ environment, workspace_id: workspaceId, started_at: at }, linesOfEnvironment(ctx));
}

async function* linesOfEnvironment(ctx: Context): AsyncGenerator<RowLine, undefined> {
  yield* resourceLines(ctx);
  yield* integrationLines(ctx);
  yield* webhookLines(ctx);
  yield* triggerLines(ctx);
  const conversations = everyRow(CONVERSATIONS, LARGE_ROWS, (query) => ctx.db.conversation.findMany(query));
  for await (const conversation of conversations) yield* linesOfConversation(ctx, conversation);
  yield* workflowLogLines(ctx);
  yield* eventLines(ctx);
}
