import { ServiceError } from '../../../contract/errors.ts';
import type { ConversationStatus, RunStatus } from '../../../contract/statuses.ts';
import { ownedBy } from '../../access/reach.ts';
import type { Context } from '../../context.ts';
import { latestRun } from '../../conversations/latest-run.ts';
import { conversationNotFound } from '../../conversations/reads.ts';
import { type HandlingRow, handlingConflict, handlingJson } from '../../handling/handling-conflict.ts';
import { rejectTurn } from '../accept/reject-turn.ts';
import type { OfferedTool } from '../tools/offered-tool.ts';
import type { AcceptedConversation } from '../turn.ts';

/** A conversation before one of its lines is replaced. */
export interface BranchState extends AcceptedConversation {
  readonly status: ConversationStatus;
  readonly handling: HandlingRow;
  readonly deploymentId: string;
  /** The version of the workflow that it keeps. Null: the published version of its deployment. */
  readonly workflowVersion: number | null;
  /** The transaction that last wrote the conversation. Every change of an item writes it too. */
  readonly xid: string;
  /** The latest run of the active line. */
  readonly run: {
    readonly id: string;
    readonly status: RunStatus;
    /** Whether it is a v2 run. */
    readonly agent: boolean;
    readonly tools: readonly OfferedTool[];
  } | null;
}

/** @throws {ServiceError} not_found */
export async function readBranchState(ctx: Context, conversationId: string): Promise<BranchState> {
  const [row] = await ctx.sql.rows<BranchState>`
    SELECT conversation.id, conversation.name, conversation.status::text AS status, conversation.variables, ${handlingJson('conversation')} AS handling,
           conversation.created_at AS "createdAt", conversation.deployment_id AS "deploymentId",
           conversation.workflow_version AS "workflowVersion", conversation.xid::text AS xid, 0 AS "contextTokens", NULL AS "countedPrompt",
           (SELECT json_build_object('id', r.id, 'status', r.status, 'agent', r.agent, 'tools', r.tools) WHERE r.id IS NOT NULL) AS run
    FROM conversation ${latestRun(ctx.environment.id, 'conversation')}
    WHERE conversation.id = ${conversationId}::uuid AND conversation.environment_id = ${ctx.environment.id}::uuid${ownedBy(ctx.caller)}`;
  if (!row) throw conversationNotFound();
  return row;
}

/**
 * Requires that no turn runs, waits or is queued, and that the conversation is not completed. Returns false if the state
 * changed meanwhile: read it again.
 * @throws {ServiceError} handling_conflict, conversation_completed, client_action_required, run_in_progress
 */
export async function isIdle(ctx: Context, { id, status, run, handling }: BranchState): Promise<boolean> {
  if (handling.handling !== 'assistant') throw handlingConflict(HANDLED, handling);
  const isActive = run?.status === 'running' || run?.status === 'waiting_for_client_action';
  if (status === 'active' && !isActive) return true;
  const error = await rejectTurn(ctx, { id, status });
  if (error) throw error;
  return false;
}

const HANDLED = 'A person answers in this conversation, or it waits for one. Send a new message instead.';

/** How often a change that others overtake starts again. */
const ATTEMPTS = 5;

/**
 * Repeats a change of a line until it is based on the current state. `change` returns undefined if the conversation changed
 * after it was read.
 * @throws {ServiceError} run_in_progress if others change the conversation again and again
 */
export async function onCurrentState<Result>(change: () => Promise<Result | undefined>): Promise<Result> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const result = await change();
    if (result !== undefined) return result;
  }
  throw new ServiceError('run_in_progress', 'The conversation changes right now. Read it, then try again.');
}
