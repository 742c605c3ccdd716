import { UUID_PATTERN } from '../contract/ids.ts';
import type { TimelineItem } from '../db/generated/client.ts';
import { type TimelinePage, timelinePage } from '../domain/conversations/follow.ts';
import { findConversation, listTimeline, messagePage } from '../domain/conversations/reads.ts';
import { builder, type JsonObject } from './builder.ts';
import type { GraphContext } from './context.ts';
import { CallStatusEnum, ConversationStatusEnum, RunStatusEnum } from './enums.ts';
import { runnerAccess } from './field-scope.ts';
import type { NodeExtensions } from './node-scope.ts';
import { numberedPageOf } from './page.ts';
import { selects } from './selection.ts';
import { callSummary, HistoryItem, Message } from './timeline.ts';

const Run = builder.prismaObject('Run', {
  description: 'One turn of the assistant. For observing only: no operation takes a run as input.',
  fields: (t) => ({
    runId: t.expose('id', { type: 'UUID', description: 'Stays the same from its start to its end.' }),
    status: t.expose('status', { type: RunStatusEnum, description: 'Where it stands.' }),
    model: t.exposeString('model', { description: 'The model that it was given to, as provider:name.' }),
    inputTokens: t.exposeInt('inputTokens', { description: 'Tokens read by the model so far.' }),
    outputTokens: t.exposeInt('outputTokens', { description: 'Tokens written by the model so far.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the turn was accepted.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last moved or stored a step.' }),
  }),
});

/** What is shown of a call that waits. */
export interface WaitingCall {
  readonly callId: string | null;
  readonly name: string | null;
  readonly arguments: unknown;
}

export const PendingAction = builder.objectRef<WaitingCall>('PendingAction').implement({
  description: 'A call that waits for its result from the client (SPEC 2).',
  fields: (t) => ({
    callId: t.string({ description: 'What the result has to name.', resolve: (call) => call.callId ?? '' }),
    name: t.string({ description: 'The tool to run.', resolve: (call) => call.name ?? '' }),
    arguments: t.field({
      type: 'JSONObject',
      description: 'What to run it with.',
      resolve: (call) => call.arguments as JsonObject,
    }),
  }),
});

export const ProgressItem = builder.objectRef<WaitingCall>('ProgressItem').implement({
  description: 'A sign of what the conversation waits for.',
  fields: (t) => ({
    type: t.string({ description: 'client_action_required.', resolve: () => 'client_action_required' }),
    callId: t.string({ description: 'The call that it is about.', resolve: (call) => call.callId ?? '' }),
    name: t.string({ description: 'The name of its tool.', resolve: (call) => call.name ?? '' }),
    summary: t.string({
      description: 'A sentence that is safe to show.',
      resolve: ({ name }) => callSummary({ name, status: 'pending' }),
    }),
  }),
});

const ToolSummary = builder.objectRef<TimelineItem>('ToolSummary').implement({
  description: 'What the latest run called, without arguments or outputs.',
  fields: (t) => ({
    name: t.string({ description: 'The name of the tool or action.', resolve: (item) => item.name ?? '' }),
    type: t.string({ description: 'tool, action or client_tool.', resolve: (item) => item.kind }),
    status: t.field({
      type: CallStatusEnum,
      description: 'What became of the call.',
      resolve: (item) => item.status ?? 'failed',
    }),
  }),
});

const MessagePage = numberedPageOf('MessagePage', Message, {
  description: 'A numbered page of messages, oldest first.',
  hasMore: 'Whether a later page holds newer messages.',
});

/** The nil UUID, which no row has. */
const NO_CONVERSATION = '00000000-0000-0000-0000-000000000000';

export const Conversation = builder.prismaNode('Conversation', {
  id: { field: 'id', description: 'The global id, for `node`.' },
  extensions: { nodeScope: 'conversations:read' } satisfies NodeExtensions,
  // One that is not there is null among `nodes`, not the end of the others.
  nullable: true,
  findUnique: (id) => ({ id: UUID_PATTERN.test(id) ? id : NO_CONVERSATION }),
  description: 'A conversation with a deployment. Clients keep its conversationId and nothing else.',
  // What resolvers below and the list's cursors read, whatever is asked for.
  select: { id: true, latestRunId: true, updatedAt: true },
  fields: (t) => ({
    conversationId: t.expose('id', { type: 'UUID', description: 'The durable identifier.' }),
    deploymentId: t.expose('deploymentId', { type: 'UUID', description: 'The deployment that answers in it.' }),
    name: t.exposeString('name', { description: 'Its title, at first the beginning of the first message.' }),
    status: t.expose('status', { type: ConversationStatusEnum, description: 'Whether it still takes turns.' }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was permanently completed; null while active.',
    }),
    variables: t.field({
      type: 'JSONObject',
      description: 'Strings by name, given with the first message.',
      select: { variables: true },
      resolve: ({ variables }) => variables as JsonObject,
    }),
    meta: t.field({
      type: 'JSONObject',
      description: 'Searchable labels, given with the first message.',
      select: { meta: true },
      resolve: ({ meta }) => meta as JsonObject,
    }),
    messageCount: t.exposeInt('messageCount', { description: 'Stored messages, exactly.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When its first message was accepted.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When a turn last changed it.' }),
    run: t.field({
      type: Run,
      nullable: true,
      description: 'The latest turn where it was an agent turn (v2); null where it was ordinary chat (v1).',
      select: { latestRun: true },
      resolve: ({ latestRun }) => (latestRun?.agent ? latestRun : null),
    }),
    pendingActions: t.field({
      type: [PendingAction],
      description: 'Calls that wait for the client; empty when there are none.',
      resolve: async ({ latestRunId }, _args, context) => pending(await callsOf(context, latestRunId)),
    }),
    progress: t.field({
      type: [ProgressItem],
      description: 'One item for each pending call.',
      resolve: async ({ latestRunId }, _args, context) => pending(await callsOf(context, latestRunId)),
    }),
    toolSummary: t.field({
      type: [ToolSummary],
      description: 'Every call of the latest run, in order.',
      resolve: ({ latestRunId }, _args, context) => callsOf(context, latestRunId),
    }),
    messages: t.connection(
      {
        type: Message,
        description: 'What user and assistant said, oldest first.',
        resolve: ({ id }, args, { domain }) => listTimeline(domain, id, args, 'message'),
      },
      { name: 'MessageConnection', description: 'A page of messages.' },
      { name: 'MessageEdge' },
    ),
    history: t.connection(
      {
        type: HistoryItem,
        description: 'The whole timeline, oldest first. `last` gives the newest page, `before` leads to older ones.',
        resolve: ({ id }, args, { domain }, info) =>
          timelinePage(domain, id, args, { following: selects(info, 'followCursor') }),
      },
      {
        name: 'HistoryConnection',
        description: 'A page of the timeline.',
        fields: (fields) => ({
          followCursor: fields.string({
            description: 'For `after` of conversationChanged: everything that this page could not show yet.',
            // Selected, so it was read with the page.
            resolve: (page) => (page as TimelinePage).followCursor ?? '',
          }),
        }),
      },
      { name: 'HistoryEdge' },
    ),
    messagePage: t.field({
      type: MessagePage,
      description: 'Messages by page number, as REST reads them. Page 1 holds the oldest.',
      args: {
        page: t.arg.int({ defaultValue: 1, required: true, description: 'From 1.' }),
        pageSize: t.arg.int({ defaultValue: 20, required: true, description: '1 to 100.' }),
      },
      select: { messageCount: true },
      resolve: (conversation, args, { domain }) => messagePage(domain, conversation, args),
    }),
  }),
});

async function callsOf({ callsOfRun }: GraphContext, runId: string | null): Promise<TimelineItem[]> {
  return runId === null ? [] : callsOfRun.load(runId);
}

function pending(calls: readonly TimelineItem[]): TimelineItem[] {
  return calls.filter(({ kind, status }) => kind === 'client_tool' && status === 'pending');
}

builder.queryField('conversation', (t) =>
  t.prismaField({
    type: 'Conversation',
    nullable: true,
    ...runnerAccess('conversations:read'),
    description:
      'One conversation of the environment; an error not_found where there is none. Scope: conversations:read.',
    args: {
      conversationId: t.arg({ type: 'UUID', required: true, description: 'Its durable identifier.' }),
      deploymentId: t.arg({ type: 'UUID', description: 'Where given, the conversation must be of this deployment.' }),
    },
    resolve: (query, _root, args, { domain }) => findConversation(domain, args, query),
  }),
);
