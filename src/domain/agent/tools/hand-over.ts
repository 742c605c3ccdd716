import type { Urgency } from '../../../contract/statuses.ts';
import { HAND_OVER_TOOL } from '../../../contract/tool-names.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { ActionCall, ActionResult } from '../../actions/run.ts';
import type { Context } from '../../context.ts';
import { publishLifecycleChange } from '../../conversations/publish-change.ts';
import { handOverToPerson, isNewQuestion } from '../../handling/hand-over.ts';
import type { WorkflowConfig } from '../../workflows/config.ts';

/** Whether it is the tool of the service, not one of the workflow with its name. */
export function isHandOver({ kind, name }: { readonly kind: string; readonly name: string }): boolean {
  return kind === 'tool' && name === HAND_OVER_TOOL;
}

const WAITS: ActionResult = { status: 'completed', output: { status: 'A person will answer in this conversation.' } };
const NOBODY: ActionResult = {
  status: 'failed',
  output: { error: 'No person is available now. Help the user yourself.' },
};
const REMOVED: ActionResult = { status: 'failed', output: { error: 'This tool is no longer available.' } };

/**
 * The condition that the conversation has not waited since the call. A call runs again if its process died before it stored the
 * result, and a person may have handed the conversation back meanwhile.
 */
function isFirstTime({ environment }: Context, conversationId: string, callId: string): Prisma.Sql {
  return Prisma.sql`NOT EXISTS (
      SELECT FROM timeline_item call JOIN timeline_item change
        ON change.conversation_id = call.conversation_id AND change.environment_id = call.environment_id AND change.id > call.id
      WHERE call.conversation_id = ${conversationId}::uuid AND call.environment_id = ${environment.id}::uuid
        AND call.call_id = ${callId} AND change.handling ->> 'mode' = 'waiting')`;
}

/**
 * Lets the conversation wait for a person, for a call of the model. A second call changes nothing. In a test of a draft, which
 * has no conversation, nothing changes either.
 */
export async function runHandOver(
  ctx: Context,
  config: WorkflowConfig,
  { callId, conversationId, arguments: { reason, urgency } }: Omit<ActionCall, 'tool'>,
): Promise<ActionResult> {
  if (!config.allowHandOver) return REMOVED;
  if (conversationId === undefined) return WAITS;
  // The schema of the tool was checked.
  const asked = { reason: String(reason), urgency: (urgency as Urgency | undefined) ?? 'normal' };
  const change = { cause: 'assistant', ...asked } as const;
  const mayWait = Prisma.sql`${isFirstTime(ctx, conversationId, callId)} AND ${isNewQuestion(ctx, conversationId)}`;
  const changed = await ctx.sql.rows`${handOverToPerson(ctx, conversationId, config, change, mayWait)}`;
  if (changed.length === 0) return (await isHandled(ctx, conversationId)) ? WAITS : NOBODY;
  publishLifecycleChange(ctx.services.stores.pubSub, ctx.environment.id, conversationId);
  return WAITS;
}

/** Whether the conversation waits for a person, or a person has it. */
async function isHandled(ctx: Context, conversationId: string): Promise<boolean> {
  const [row] = await ctx.sql.rows<object>`
    SELECT FROM conversation
    WHERE id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid AND handling <> 'assistant'`;
  return row !== undefined;
}
