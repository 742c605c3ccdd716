import type { CallKind } from '../../../contract/statuses.ts';
import type { TimelineItem } from '../../../db/generated/client.ts';
import { visibleArguments } from '../../../domain/conversations/visible-calls.ts';
import type { OperationContext } from '../../../operation/context.ts';
import { builder } from '../builder.ts';
import { CallStatusEnum, CallTypeEnum } from '../enums.ts';
import { callSummary } from './timeline.ts';

const HIDDEN_ARGUMENTS = 'Empty for a decision (`approve_action`, `raise_budget`) that the caller cannot make.';

/** A call that waits: its item of the timeline, or what the result of a turn knows of it. */
export interface PendingCall {
  readonly runId?: string | null;
  readonly callId: string | null;
  readonly name: string | null;
  readonly arguments: unknown;
  readonly expiresAt?: Date | null;
}

export const PendingAction = builder.objectRef<PendingCall>('PendingAction').implement({
  description:
    'A call that waits: of a tool that the client runs, or an approval. The query `pendingActions` lists all of them.',
  fields: (t) => ({
    callId: t.string({
      description: 'The ID that the tool result must have as its callId.',
      resolve: (call) => call.callId ?? '',
    }),
    name: t.string({ description: 'The name of the tool to run.', resolve: (call) => call.name ?? '' }),
    arguments: t.field({
      type: 'JSONObject',
      description: `The arguments for the tool. ${HIDDEN_ARGUMENTS}`,
      resolve: (call, _args, { domain }) => visibleArguments(domain.caller, call),
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the call expires. Without a time, it never does.',
      resolve: ({ expiresAt }) => expiresAt ?? null,
    }),
  }),
});

export const ProgressItem = builder.objectRef<PendingCall>('ProgressItem').implement({
  internal: true,
  description: 'Describes what the conversation is waiting for.',
  fields: (t) => ({
    type: t.string({ description: 'Always client_action_required.', resolve: () => 'client_action_required' }),
    callId: t.string({ description: 'The ID of the pending call.', resolve: (call) => call.callId ?? '' }),
    name: t.string({ description: 'The name of the tool.', resolve: (call) => call.name ?? '' }),
    summary: t.string({
      description: 'A sentence to show to users.',
      resolve: ({ name }) => callSummary({ name, status: 'pending' }),
    }),
  }),
});

export const ToolSummary = builder.objectRef<TimelineItem>('ToolSummary').implement({
  description: 'A call of the latest run, without arguments and output.',
  fields: (t) => ({
    name: t.string({ description: 'The name of the tool or action.', resolve: (item) => item.name ?? '' }),
    type: t.field({
      type: CallTypeEnum,
      description: 'The type of the call.',
      // Only calls are in a summary.
      resolve: (item) => item.kind as CallKind,
    }),
    status: t.field({
      type: CallStatusEnum,
      description: 'The status of the call.',
      resolve: (item) => item.status ?? 'failed',
    }),
  }),
});

/** The calls of a turn as `PendingAction` reads them. */
export function waitingCalls(
  runId: string | null,
  calls: readonly PendingCall[],
  { callsOfRun }: OperationContext,
): readonly PendingCall[] {
  // An earlier field of the operation can have read them before the turn continued.
  if (runId !== null) callsOfRun.clear(runId);
  // They can be parts of their items.
  return calls.map(({ callId, name, arguments: args, expiresAt = null }) => {
    return { runId, callId, name, arguments: args, expiresAt };
  });
}

/** The calls of a run, in order. */
export async function callsOf({ callsOfRun }: OperationContext, runId: string | null): Promise<TimelineItem[]> {
  return runId === null ? [] : callsOfRun.load(runId);
}

/** The calls that wait for the client. */
export function pendingOf(calls: readonly TimelineItem[]): TimelineItem[] {
  return calls.filter(({ kind, status }) => kind === 'client_tool' && status === 'pending');
}
