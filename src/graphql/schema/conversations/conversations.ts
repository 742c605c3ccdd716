import { LIMITS } from '../../../contract/limits.ts';
import { type TimelinePage, timelinePage } from '../../../domain/conversations/follow.ts';
import { findConversation, messagePage } from '../../../domain/conversations/reads.ts';
import { CONVERSATION_ITEMS, itemsOf, messagesOf } from '../../../domain/related/lists.ts';
import { rowKey } from '../../../domain/row-key.ts';
import { runnerAccess } from '../../../operation/access.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { HISTORY_FILTER, MESSAGE_FILTER } from '../../../shapes/filters.ts';
import { builder, type JsonObject } from '../builder.ts';
import { loadConnection } from '../edges.ts';
import { ConversationStatusEnum, TimelineBranchEnum } from '../enums.ts';
import { NOT_FOUND } from '../mutation.ts';
import { uuidKey } from '../node-keys.ts';
import type { NodeRowsExtensions } from '../node-rows.ts';
import { numberedPageOf, selects } from '../page.ts';
import { inputType } from '../shape-fields.ts';
import { listVariables, Variable } from '../variables.ts';
import { callsOf, PendingAction, ProgressItem, pendingOf, ToolSummary } from './calls.ts';
import { Run } from './runs.ts';
import { HistoryItem, Message } from './timeline.ts';

const HistoryFilterInput = inputType(HISTORY_FILTER);

const MessagePage = numberedPageOf('MessagePage', Message, {
  description: 'A page of messages by page number, oldest first.',
  hasMore: 'Whether there is a next page, with newer messages.',
});

export const Conversation = builder.prismaNode('Conversation', {
  id: { resolve: ({ id }) => id, description: 'The global ID, for `node`.' },
  extensions: {
    nodeScope: 'conversations:read',
    nodeRows: { model: 'conversation', keyOf: uuidKey },
  } satisfies NodeExtensions & NodeRowsExtensions,
  // A missing node is null and must not fail the other nodes of the request.
  nullable: true,
  readsRow: true,
  findUnique: (id, { domain }) => rowKey(domain.environment, uuidKey(id)),
  description: 'A conversation with a deployment. To continue it, a client needs only its conversationId.',
  // Always read, because they are small. Pothos takes longer to check that a column was selected than to read it.
  select: {
    id: true,
    deploymentId: true,
    name: true,
    status: true,
    completedAt: true,
    messageCount: true,
    latestRunId: true,
    createdAt: true,
    updatedAt: true,
  },
  fields: (t) => ({
    conversationId: t.field({
      type: 'UUID',
      description: 'The ID of the conversation.',
      resolve: ({ id }) => id,
    }),
    deploymentId: t.field({
      type: 'UUID',
      description: 'The deployment that responds in it.',
      resolve: ({ deploymentId }) => deploymentId,
    }),
    endUser: t.string({
      nullable: true,
      description: 'Your own ID of the user that it belongs to. Null: it belongs to no end user.',
      select: { endUser: true },
      resolve: ({ endUser }) => endUser,
    }),
    name: t.string({
      description: 'Its title. At first, the beginning of the first message.',
      resolve: ({ name }) => name,
    }),
    status: t.field({
      type: ConversationStatusEnum,
      description: 'Whether it accepts further turns.',
      resolve: ({ status }) => status,
    }),
    completedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was completed. Null: it is active.',
      resolve: ({ completedAt }) => completedAt,
    }),
    variables: t.field({
      type: [Variable],
      description: 'Values for the instructions, from the first message, in the order of their names.',
      select: { variables: true },
      resolve: ({ variables }) => listVariables(variables),
    }),
    meta: t.field({
      type: 'JSONObject',
      description: 'Searchable labels.',
      select: { meta: true },
      resolve: ({ meta }) => meta as JsonObject,
    }),
    messageCount: t.int({
      description: 'Number of stored messages.',
      resolve: ({ messageCount }) => messageCount,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the service accepted the first message.',
      resolve: ({ createdAt }) => createdAt,
    }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'When a turn last changed it.',
      resolve: ({ updatedAt }) => updatedAt,
    }),
    latestRun: t.field({
      type: Run,
      nullable: true,
      description: 'The latest turn, of chat or of an agent. Null: no turn has started.',
      select: { latestRun: true },
      resolve: ({ latestRun }) => latestRun,
    }),
    run: t.field({
      type: Run,
      nullable: true,
      internal: true,
      description: 'The latest agent turn (v2). Null if the latest turn was ordinary chat (v1).',
      select: { latestRun: true },
      resolve: ({ latestRun }) => (latestRun?.agent ? latestRun : null),
    }),
    pendingActions: t.field({
      type: [PendingAction],
      description: 'Calls that wait for the client. Empty if no call is pending.',
      resolve: async ({ latestRunId }, _args, context) => pendingOf(await callsOf(context, latestRunId)),
    }),
    progress: t.field({
      type: [ProgressItem],
      internal: true,
      description: 'One item for each pending call.',
      resolve: async ({ latestRunId }, _args, context) => pendingOf(await callsOf(context, latestRunId)),
    }),
    toolSummary: t.field({
      type: [ToolSummary],
      description: 'Every call of the latest run, in order.',
      resolve: ({ latestRunId }, _args, context) => callsOf(context, latestRunId),
    }),
    messages: t.connection(
      {
        type: Message,
        description: 'Messages of the user and the assistant, oldest first.',
        args: {
          filter: t.arg({ type: inputType(MESSAGE_FILTER), description: 'Which messages the page has.' }),
        },
        resolve: ({ id }, { filter, ...args }, context, info) =>
          loadConnection(CONVERSATION_ITEMS, id, args, context, info, messagesOf(filter?.branch)),
      },
      { name: 'MessageConnection', description: 'A page of messages.' },
      { name: 'MessageEdge' },
    ),
    history: t.connection(
      {
        type: HistoryItem,
        description: 'The timeline, oldest first. Read the newest page with `last`, and older pages with `before`.',
        args: {
          filter: t.arg({ type: HistoryFilterInput, description: 'Which items the page has.' }),
        },
        resolve: ({ id }, { filter, ...args }, context, info) => {
          if (selects(info, 'followCursor'))
            return timelinePage(context.domain, id, args, { following: true, ...filter });
          return loadConnection(CONVERSATION_ITEMS, id, args, context, info, itemsOf({ ...filter }));
        },
      },
      {
        name: 'HistoryConnection',
        description: 'A page of the timeline.',
        fields: (fields) => ({
          followCursor: fields.string({
            description:
              'For `after` of turnEvents and conversationChanged: they continue with the changes that are newer than this page.',
            // The page has it whenever the field is selected.
            resolve: (page) => (page as TimelinePage).followCursor ?? '',
          }),
          nextCursor: fields.exposeString('nextCursor', {
            nullable: true,
            internal: true,
            description:
              'The cursor of the next page: for `after`, or for `before` if you page with `last`. Null: this is the last page.',
          }),
        }),
      },
      { name: 'HistoryEdge' },
    ),
    messagePage: t.field({
      type: MessagePage,
      internal: true,
      description: 'Messages by page number, as the REST API returns them. Page 1 has the oldest.',
      args: {
        page: t.arg.int({ defaultValue: 1, required: true, description: 'The page number, from 1.' }),
        pageSize: t.arg.int({
          defaultValue: LIMITS.defaultPageSize,
          required: true,
          description: `Items per page: 1 to ${LIMITS.pageSize}.`,
        }),
        branch: t.arg({ type: TimelineBranchEnum, description: 'ALL: also replaced messages.' }),
      },
      resolve: (conversation, args, { domain }) => messagePage(domain, conversation, args),
    }),
  }),
});

builder.queryField('conversation', (t) =>
  t.prismaField({
    publishing: 'reads',
    type: 'Conversation',
    nullable: true,
    extensions: NOT_FOUND,
    access: runnerAccess('conversations:read'),
    description:
      'A conversation of the environment. Null: it does not exist, or it is not visible to the caller. Scope: conversations:read.',
    args: {
      id: t.arg({ type: 'UUID', idOf: 'Conversation', required: true, description: 'The ID of the conversation.' }),
      deploymentId: t.arg({
        type: 'UUID',
        idOf: 'Deployment',
        description: 'The conversation must belong to this deployment. Otherwise the result is null.',
      }),
    },
    resolve: (query, _root, { id, deploymentId }, { domain }) =>
      findConversation(domain, { conversationId: id, deploymentId }, query),
  }),
);
