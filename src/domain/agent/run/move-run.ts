import { fileIdOfUri } from '../../../contract/file-uri.ts';
import { addUsage } from '../../../contract/token-usage.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { resultFilesOf } from '../../actions/result-files.ts';
import type { ActionResult } from '../../actions/run.ts';
import type { Context } from '../../context.ts';
import { publishConversationChange, publishLifecycleChange } from '../../conversations/publish-change.ts';
import type { CallEntry } from '../../conversations/timeline.ts';
import { runEvents } from '../../events/lifecycle.ts';
import { recordUses } from '../../files/use.ts';
import { NO_LEASE } from '../../leases/lease-sql.ts';
import { elapsedMs } from '../../telemetry.ts';
import { setTokens } from '../../usage/token-columns.ts';
import { countUsage, keptTokens } from '../rows/count-usage.ts';
import { LeaseLostError } from '../rows/run-moves.ts';
import { conversationOfMoved, decideCompletions, insertItems, lockAndMove, type NewItem } from '../rows/run-sql.ts';
import type { RunningTurn } from '../rows/running-turn.ts';
import { logTurn } from '../rows/workflow-log.ts';
import type { TurnEnd } from '../turn.ts';

export type Stage = Omit<TurnEnd, 'completion'>;

export interface CallResult {
  readonly callId: string;
  /** `running`: the call was approved. */
  readonly status: ActionResult['status'] | 'running';
  readonly output: ActionResult['output'] | null;
  /** The arguments that it was approved with, if they differ from those of the model. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

interface Move {
  readonly stage: Stage;
  readonly items: readonly NewItem[];
  readonly results: readonly CallResult[];
  /** The calls that the run waits for. If there are any, it pauses. */
  readonly pending: readonly Pick<CallEntry, 'callId' | 'name'>[];
  readonly messages: number;
  /** The sealed memory of a new step. */
  readonly memory?: string | undefined;
}

/** One statement stores the step's rows or results, updates the run, and writes the log if the run pauses. */
export async function moveRun(ctx: Context, turn: RunningTurn, move: Move) {
  const { stage, items, results, pending, messages, memory } = move;
  const { step, usage, openCompletions, contextTokens } = stage;
  const at = ctx.now();
  const total = addUsage(turn.usageBefore, usage);
  const responseTimeMs = elapsedMs(ctx.services.process, turn.acceptedMs);
  const outcome = 'waiting_for_client_action';
  const pauses = pending.length > 0;
  const waitsFor = { pending_calls: pending.map(({ callId, name }) => ({ call_id: callId, name })) };
  const paused = Prisma.sql`, status = ${outcome}::run_status, ${NO_LEASE}`;
  const counted = Prisma.sql`, ${countUsage({ model: turn.model, outcome, usage, responseTimeMs })}`;
  const change = Prisma.sql`
      step = ${step}, ${setTokens(total)},
      updated_at = ${at}${pauses ? paused : Prisma.empty}`;
  const parts = [
    lockAndMove(ctx, turn, change, outcome),
    ...(await ctx.services.process.liveTurns.sealed(turn.live)),
    ...turn.trace.take(),
    ...(turn.spending?.settling() ?? []),
    insertItems(items, step, at, memory),
    ...(results.length > 0 ? [storedResults(ctx, results)] : []),
    ...(pauses && openCompletions ? [decideCompletions(ctx, null)] : []),
    ...(pauses ? [logTurn(ctx, turn, { outcome, errorCode: null, step, usage, responseTimeMs, at })] : []),
    ...(pauses ? [runEvents('moved', turn.deployment.id, waitsFor)] : []),
    Prisma.sql`touched AS (
      UPDATE conversation SET message_count = message_count + ${messages}, updated_at = ${at}${keptTokens(contextTokens, turn.spending)}${pauses ? counted : Prisma.empty}
      FROM moved
      WHERE ${conversationOfMoved(ctx)}
    )`,
  ];
  const rows = await ctx.sql.rows<{ id: bigint | null; expires_at: Date | null }>`
    WITH ${Prisma.join(parts, ', ')}${usedFiles(ctx, results)}
    SELECT stored.id, stored.expires_at FROM moved LEFT JOIN stored ON true ORDER BY stored.id`;
  if (rows.length === 0) throw new LeaseLostError();
  turn.live.markDeleted();
  turn.spending?.settled();
  if (pauses) ctx.services.process.observer.turnEnded(outcome);
  const publish = pauses ? publishLifecycleChange : publishConversationChange;
  publish(ctx.services.stores.pubSub, ctx.environment.id, turn.conversation.id);
  return (index: number) => {
    const row = rows[index];
    return { id: row?.id ?? 0n, expiresAt: row?.expires_at ?? null, runId: turn.runId, step };
  };
}

/** The conversation uses the files of the results from now on. */
function usedFiles(ctx: Context, results: Move['results']): Prisma.Sql {
  const files = results.flatMap(({ output }) => resultFilesOf({ kind: 'action', output }));
  const ids = files.flatMap(({ file_uri }) => fileIdOfUri(file_uri) ?? []);
  return recordUses(ctx, ids, 'conversation_id', {
    from: 'moved',
    id: Prisma.sql`(SELECT conversation_id FROM moved)`,
  });
}

function storedResults(ctx: Context, results: Move['results']): Prisma.Sql {
  return Prisma.sql`resulted AS (
      UPDATE timeline_item
      SET status = result.status, output = result.output,
          arguments = coalesce(result.arguments, timeline_item.arguments), revision = next_revision()
      FROM moved, jsonb_to_recordset(${JSON.stringify(results)}::jsonb)
        AS result("callId" text, status call_status, output jsonb, arguments jsonb)
      WHERE timeline_item.conversation_id = (SELECT conversation_id FROM moved)
        AND timeline_item.environment_id = ${ctx.environment.id}::uuid AND timeline_item.call_id = result."callId"
    )`;
}
