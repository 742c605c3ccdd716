import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import type { CallEntry, TimelineEntry } from '../conversations/timeline.ts';
import type { ModelCall, ModelStep, ToolDefinition } from './model-port.ts';
import { RunLost } from './run-lost.ts';
import { lockAndMove, type Usage } from './settle.ts';
import type { AcceptedTurn } from './turn.ts';

type NewEntry = Pick<CallEntry, 'kind' | 'callId' | 'name' | 'arguments' | 'status' | 'output'>;

/**
 * Stores a step in which the model called tools, before the next step begins. Calls get ids of this service's own,
 * because a provider's may repeat.
 * @throws {RunLost}
 */
export async function storeRound(
  ctx: Context,
  turn: AcceptedTurn,
  { step, answer, usage }: { step: number; answer: ModelStep; usage: Usage },
): Promise<TimelineEntry[]> {
  const text = answer.text;
  const calls = answer.calls.map((call) => refusedCall(ctx, call, turn.tools));
  const said = text === '' ? [] : [{ kind: 'message', role: 'assistant', content: [{ type: 'text', text }] }];
  const rows = [...said, ...calls].map((row, position) => ({ position, ...row }));
  const at = ctx.now();
  const ids = await ctx.db.$queryRaw<{ id: bigint }[]>`
    WITH ${lockAndMove(
      ctx,
      turn,
      Prisma.sql`
      step = ${step}, input_tokens = ${usage.inputTokens}, output_tokens = ${usage.outputTokens},
      updated_at = ${at}`,
      'completed',
    )}, touched AS (
      UPDATE conversation SET message_count = message_count + ${said.length}, updated_at = ${at}
      FROM moved WHERE conversation.id = moved.conversation_id
    ), stored AS (
      INSERT INTO timeline_item (environment_id, conversation_id, run_id, step, kind, role, content, call_id, name,
                                 arguments, status, output, revision, created_at)
      SELECT moved.environment_id, moved.conversation_id, moved.id, ${step}, row.kind, row.role, row.content,
             row."callId", row.name, row.arguments, row.status, row.output, nextval('timeline_revision'), ${at}
      FROM moved, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row(
        position int, kind timeline_kind, role message_role, content jsonb, "callId" text, name text,
        arguments jsonb, status call_status, output jsonb)
      ORDER BY row.position
      RETURNING id
    )
    SELECT id FROM stored ORDER BY id`;
  if (ids.length === 0) throw new RunLost();
  return rows.map((row, index) => ({ ...row, id: ids[index]?.id, runId: turn.runId, step }) as TimelineEntry);
}

/** A call that cannot be run: the model is told why, and goes on (WIRE 7). */
function refusedCall(ctx: Context, call: ModelCall, tools: readonly ToolDefinition[]): NewEntry {
  const reason = call.unreadable ?? `There is no tool ${call.name}. Offered: ${names(tools)}.`;
  return {
    kind: 'tool',
    callId: `call_${ctx.newId().replaceAll('-', '')}`,
    name: call.name,
    arguments: call.arguments,
    status: 'failed',
    output: { error: reason },
  };
}

function names(tools: readonly ToolDefinition[]): string {
  return tools.map(({ name }) => name).join(', ') || 'none';
}
