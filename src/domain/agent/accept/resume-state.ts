import type { CallStatus, ConversationStatus, RunStatus } from '../../../contract/statuses.ts';
import type { Usage } from '../../../contract/token-usage.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { CountedPrompt } from '../../budgets/spending.ts';
import type { Context } from '../../context.ts';
import { latestRun } from '../../conversations/latest-run.ts';
import { conversationNotFound } from '../../conversations/reads.ts';
import type { HistoryLimit } from '../../conversations/timeline.ts';
import { usageJson } from '../../usage/token-columns.ts';
import type { OfferedTool } from '../tools/offered-tool.ts';
import type { AcceptedConversation } from '../turn.ts';

/** A client tool call, with the run and step of its round. */
export interface RoundCall {
  readonly callId: string;
  readonly runId: string;
  readonly step: number;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly status: CallStatus;
  readonly output: unknown;
  /** The time to answer is over. */
  readonly isExpired: boolean;
}

/** The run that a resume would continue. */
export interface LatestRun {
  readonly id: string;
  readonly status: RunStatus;
  readonly fence: number;
  readonly step: number;
  readonly usage: Usage;
  readonly tools: readonly OfferedTool[];
  readonly historyLimit: HistoryLimit;
  /** A legacy run whose time limit has passed. */
  readonly expired: boolean;
}

/** Everything that decides about a resume. One statement reads it, so it is consistent. */
export interface ResumeState {
  readonly conversation: AcceptedConversation & {
    readonly status: ConversationStatus;
    readonly completedAt: Date | null;
  };
  readonly run: LatestRun | undefined;
  /** The calls of every round that the request names, and of the pending round. */
  readonly calls: readonly RoundCall[];
}

interface StateRow {
  id: string;
  name: string;
  status: ConversationStatus;
  variables: Record<string, string>;
  created_at: Date;
  context_tokens: number;
  counted_prompt: CountedPrompt | null;
  completed_at: Date | null;
  run: LatestRun | null;
  calls: RoundCall[];
}

/** @throws {ServiceError} not_found */
export async function readResumeState(
  ctx: Context,
  address: { readonly conversationId: string; readonly deploymentId: string },
  callIds: readonly string[],
): Promise<ResumeState> {
  const [row] = await ctx.sql.rows<StateRow>`
    SELECT c.id, c.name, c.status::text AS status, c.variables, c.created_at, c.context_tokens, c.counted_prompt, c.completed_at,
           CASE WHEN r.id IS NOT NULL THEN jsonb_build_object(
             'id', r.id, 'status', r.status, 'fence', r.fence, 'step', r.step, 'tools', r.tools,
             'historyLimit', r.history_limit, 'usage', ${usageJson((column) => Prisma.sql`r.${column}`)},
             'expired', NOT r.agent AND coalesce(r.expires_at <= ${ctx.now()}, false)) END AS run,
           coalesce((
             SELECT jsonb_agg(jsonb_build_object(
               'callId', i.call_id, 'runId', i.run_id, 'step', i.step, 'name', i.name, 'arguments', i.arguments,
               'status', i.status, 'output', i.output,
               'isExpired', i.expired OR (i.status = 'pending' AND coalesce(i.expires_at <= now(), false))) ORDER BY i.id)
             FROM timeline_item i
             WHERE i.conversation_id = c.id AND i.environment_id = ${ctx.environment.id}::uuid AND i.kind = 'client_tool' AND (
               (i.run_id = r.id AND i.status = 'pending') OR (i.run_id, i.step) IN (
                 SELECT named.run_id, named.step FROM timeline_item named
                 WHERE named.conversation_id = c.id AND named.environment_id = ${ctx.environment.id}::uuid
                   AND named.call_id = ANY (${[...callIds]}::text[])))
           ), '[]') AS calls
    FROM conversation c ${latestRun(ctx.environment.id)}
    WHERE c.id = ${address.conversationId}::uuid AND c.environment_id = ${ctx.environment.id}::uuid
      AND c.deployment_id = ${address.deploymentId}::uuid`;
  if (!row) throw conversationNotFound();
  const { id, name, status, variables, created_at: createdAt, completed_at: completedAt } = row;
  const context = { contextTokens: row.context_tokens, countedPrompt: row.counted_prompt };
  const conversation = { id, name, status, variables, createdAt, completedAt, ...context };
  return { conversation, run: row.run ?? undefined, calls: row.calls };
}
