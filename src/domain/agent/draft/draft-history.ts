import { type FieldPath, ServiceError } from '../../../contract/errors.ts';
import type { Context } from '../../context.ts';
import { conversationNotFound } from '../../conversations/reads.ts';
import { type HistoryLimit, recentTimeline, type TimelineEntry } from '../../conversations/timeline.ts';
import { assistantMessages } from '../rows/run-sql.ts';
import { checkOutput } from '../tools/client-tool-rules.ts';
import { invalidResult, type ToolOutput } from '../tools/output-problem.ts';
import type { DraftSource, DraftTurnInput, DraftTurnRecord } from './draft-turn-input.ts';

type Call = NonNullable<NonNullable<DraftTurnRecord['steps']>[number]['calls']>[number];

/**
 * The prompt of a test: the stored conversation that it continues, and its own turns, within the history limit, like in
 * a conversation. A test is never summarized.
 * @throws {ServiceError} not_found, invalid_request, invalid_tool_result, missing_tool_results
 */
export async function draftHistory(
  ctx: Context,
  { source, turns }: DraftTurnInput,
  historyLimit: HistoryLimit,
): Promise<TimelineEntry[]> {
  requireOpenTurn(turns);
  const own = turns.flatMap(entriesOf);
  const earlier = historyLimit === null ? null : historyLimit - (turns.length - 1);
  const stored = source ? await storedEntries(ctx, source, earlier) : [];
  const skipped = Math.max(0, -(earlier ?? 0));
  return [...stored, ...own.filter(({ runId }) => Number(runId) >= skipped)];
}

async function requireConversation(ctx: Context, { conversationId }: DraftSource): Promise<void> {
  if ((await ctx.db.conversation.count({ where: { id: conversationId } })) === 0) throw noSource();
}

/** @param messages how many user messages. Null: everything since the newest summary */
async function storedEntries(ctx: Context, source: DraftSource, messages: HistoryLimit): Promise<TimelineEntry[]> {
  await requireConversation(ctx, source);
  if (messages !== null && messages <= 0) return [];
  const limit = messages === null ? null : messages - 1;
  return recentTimeline(ctx, source.conversationId, limit, source.lastItemId ?? undefined);
}

function noSource(): ServiceError {
  return new ServiceError('not_found', conversationNotFound().message, { param: ['source', 'conversationId'] });
}

/** The position of the turn stands for its run. */
function entriesOf({ content, steps }: DraftTurnRecord, index: number): TimelineEntry[] {
  const base = { id: 0n, runId: String(index) };
  const user = { ...base, step: 0, kind: 'message', role: 'user', content } as const;
  const answers = (steps ?? []).flatMap(({ text, calls }, position): TimelineEntry[] => {
    const ofStep = { ...base, step: position + 1 };
    const items = [...assistantMessages(text ?? ''), ...(calls ?? []).map(callOf)];
    return items.map((item) => ({ ...ofStep, ...item }) as TimelineEntry);
  });
  return [user, ...answers];
}

function callOf({ type, output, ...call }: Call) {
  return { kind: type, ...call, output: output ?? null };
}

/** The last turn has a message without a reply, or its last step has calls with all their results. */
function requireOpenTurn(turns: DraftTurnInput['turns']): void {
  const turn = turns.length - 1;
  const steps = turns[turn]?.steps ?? [];
  const last = steps.at(-1);
  if (!last) return;
  const path = ['turns', turn, 'steps', steps.length - 1];
  const calls = last.calls ?? [];
  if (calls.length === 0) {
    const message = '{param} is already a reply. Add a turn with the next message.';
    throw new ServiceError('invalid_request', message, { param: path });
  }
  for (const [index, call] of calls.entries()) {
    if (call.type === 'client_tool' && call.status !== 'failed')
      requireResult(call, [...path, 'calls', index, 'output']);
  }
}

function requireResult(call: Call, param: FieldPath): void {
  const { output } = call;
  if (output == null) {
    const facts = { call_ids: [call.callId] };
    throw new ServiceError('missing_tool_results', `Every pending call needs a result. Missing: ${call.callId}.`, {
      param,
      facts,
    });
  }
  if (typeof output !== 'object' || Array.isArray(output)) throw invalidResult('{param} must be an object.', param);
  checkOutput(call, output as ToolOutput, param);
}
