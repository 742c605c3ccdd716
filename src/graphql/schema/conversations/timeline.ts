import type { ContentPart } from '../../../contract/content.ts';
import { historyItemId } from '../../../contract/ids.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { TimelineItem } from '../../../db/generated/client.ts';
import { type Rating, ratingOf } from '../../../domain/conversations/rate-message.ts';
import { findItems } from '../../../domain/conversations/reads.ts';
import type { StoredSummary } from '../../../domain/conversations/timeline.ts';
import { type Variants, variantsOfEach } from '../../../domain/conversations/variants.ts';
import { visibleArguments, visibleOutput } from '../../../domain/conversations/visible-calls.ts';
import { loadInBatch } from '../../../domain/related/batches.ts';
import type { OperationContext } from '../../../operation/context.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { builder, type JsonObject } from '../builder.ts';
import { ContentPartInterface } from '../content.ts';
import { CallStatusEnum, HistoryItemTypeEnum, MessageRoleEnum, RatingValueEnum } from '../enums.ts';

const TYPE_OF_KIND = {
  message: 'Message',
  tool: 'ToolCall',
  action: 'ActionCall',
  client_tool: 'ClientToolCall',
  conversation_completed: 'ConversationCompletion',
  summary: 'ConversationSummary',
  handling: 'HandlingChange',
} as const satisfies Record<TimelineItem['kind'], string>;

/** An item of a conversation's timeline. */
export const HistoryItem = builder.interfaceRef<TimelineItem>('HistoryItem').implement({
  interfaces: [builder.nodeInterfaceRef()],
  description: "An item of a conversation's timeline.",
  resolveType: ({ kind }) => TYPE_OF_KIND[kind],
  fields: (t) => ({
    itemId: t.id({
      description: 'The ID. IDs sort as strings in the order of the timeline.',
      resolve: (item) => historyItemId(item.id),
    }),
    type: t.field({
      type: HistoryItemTypeEnum,
      description: 'The type of the item.',
      resolve: (item) => item.kind,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the service stored the item.' }),
    supersededBy: t.id({
      nullable: true,
      description:
        'The `itemId` of the message whose turn replaced the item. Null: the item is in the active line of the conversation.',
      resolve: ({ supersededBy }) => (supersededBy === null ? null : historyItemId(supersededBy)),
    }),
  }),
});

/** What the node types of all kinds of items share. */
export function itemNode(kind: TimelineItem['kind']) {
  return {
    id: { resolve: ({ id }: TimelineItem) => String(id), description: 'The global ID, for `node`.' },
    extensions: { nodeScope: 'conversations:read' } satisfies NodeExtensions,
    loadMany: async (ids: readonly string[], { domain }: OperationContext) => {
      const items = await findItems(domain, kind, ids);
      return ids.map((id) => items.find((item) => String(item.id) === id) ?? null);
    },
  };
}

const MessageRating = builder.objectRef<Rating>('MessageRating').implement({
  description: "A user's rating of a reply.",
  fields: (t) => ({
    value: t.expose('value', { type: RatingValueEnum, description: 'Whether the reply helped.' }),
    comment: t.exposeString('comment', { nullable: true, description: "The user's comment. Null: no comment." }),
    ratedAt: t.expose('ratedAt', { type: 'DateTime', description: 'When the user last rated the reply.' }),
  }),
});

const MessageVariants = builder.objectRef<Variants>('MessageVariants').implement({
  description: `The messages that were at one place of a conversation, oldest first: the latest ${LIMITS.variants}.`,
  fields: (t) => ({
    position: t.exposeInt('position', { description: 'The position of this message, from 1.' }),
    itemIds: t.idList({
      description: 'The `itemId` of each variant, for `selectVariant`.',
      resolve: ({ ids }) => ids.map(historyItemId),
    }),
  }),
});

export const Message = builder.node(builder.objectRef<TimelineItem>('Message'), {
  ...itemNode('message'),
  description: 'A message of the user or the assistant. Tool calls and results are not messages.',
  interfaces: [HistoryItem],
  fields: (t) => ({
    messageId: t.field({
      type: 'SafeInt',
      internal: true,
      description: 'The ID of the message in the REST API.',
      resolve: (item) => Number(item.id),
    }),
    role: t.field({
      type: MessageRoleEnum,
      description: 'The author of the message.',
      // A database constraint guarantees that a message has a role and content.
      resolve: (item) => item.role as NonNullable<typeof item.role>,
    }),
    content: t.field({
      type: [ContentPartInterface],
      description: 'The parts of the message, in order.',
      resolve: (item) => item.content as unknown as ContentPart[],
    }),
    variants: t.field({
      type: MessageVariants,
      nullable: true,
      description:
        'The other messages that were at this place: edits of a message of the user, and replies to the same message. Null: there is no other.',
      resolve: (item, _args, { domain }) =>
        loadInBatch(domain, 'variants of messages', String(item.id), (ids) => variantsOfEach(domain, ids)),
    }),
    rating: t.field({
      type: MessageRating,
      nullable: true,
      description: 'The rating of the reply. Null: it has no rating. Only messages of the assistant can be rated.',
      resolve: ratingOf,
    }),
  }),
});

const Call = builder.interfaceRef<TimelineItem>('Call').implement({
  description: 'A tool call of the assistant.',
  interfaces: [builder.nodeInterfaceRef(), HistoryItem],
  fields: (t) => ({
    // A database constraint guarantees that a call has an ID, a name and a status.
    callId: t.string({
      description: 'The ID of the call. It is unique in the conversation.',
      resolve: (item) => item.callId ?? '',
    }),
    name: t.string({ description: 'The name of the tool.', resolve: (item) => item.name ?? '' }),
    status: t.field({
      type: CallStatusEnum,
      description: 'The status of the call.',
      resolve: (item) => item.status ?? 'failed',
    }),
    summary: t.string({
      description: 'A sentence to show to users. It has no arguments, outputs or secrets.',
      resolve: callSummary,
    }),
  }),
});

const ToolCall = builder.node(builder.objectRef<TimelineItem>('ToolCall'), {
  ...itemNode('tool'),
  description: 'A call of a built-in server tool.',
  interfaces: [HistoryItem, Call],
});

export const ActionCall = builder.node(builder.objectRef<TimelineItem>('ActionCall'), {
  ...itemNode('action'),
  description: 'A call of a server action from the workflow.',
  interfaces: [HistoryItem, Call],
});

for (const call of [ToolCall, ActionCall]) {
  builder.objectFields(call, (t) => ({
    arguments: t.field({
      type: 'JSONObject',
      nullable: true,
      internal: true,
      // The scope that the trace needs, which has them too.
      access: { scope: 'traces:read' },
      description: 'The arguments of the call. Null: the caller lacks the scope. Scope: traces:read.',
      resolve: (item) => item.arguments as JsonObject,
    }),
  }));
}

export const ClientToolCall = builder.node(builder.objectRef<TimelineItem>('ClientToolCall'), {
  ...itemNode('client_tool'),
  description: 'A call of a tool that the client runs.',
  interfaces: [HistoryItem, Call],
  fields: (t) => ({
    arguments: t.field({
      type: 'JSONObject',
      description:
        'The arguments of the call. Empty for a decision (`approve_action`, `raise_budget`) that the caller cannot make.',
      resolve: (item, _args, { domain }) => visibleArguments(domain.caller, item),
    }),
    output: t.field({
      type: 'JSONObject',
      nullable: true,
      description:
        'The accepted result. Null: no result yet. Only `approved` for an approval that the caller cannot answer.',
      resolve: (item, _args, { domain }) => visibleOutput(domain.caller, item),
    }),
  }),
});

builder.node(builder.objectRef<TimelineItem>('ConversationCompletion'), {
  ...itemNode('conversation_completed'),
  description: 'Marks that the assistant completed the conversation permanently.',
  interfaces: [HistoryItem],
  fields: (t) => ({
    summary: t.string({
      description: 'A sentence to show to users.',
      resolve: () => 'The assistant completed the conversation.',
    }),
  }),
});

const inTrace = { nullable: true, access: { scope: 'traces:read' } } as const;

builder.node(builder.objectRef<TimelineItem>('ConversationSummary'), {
  ...itemNode('summary'),
  description:
    'A summary of earlier items, which the model receives in place of them. It can contain results of tools, so its text needs a scope.',
  interfaces: [HistoryItem],
  fields: (t) => ({
    text: t.string({
      ...inTrace,
      description: 'The summary. Null: the caller lacks the scope. Scope: traces:read.',
      resolve: (item) => summaryOf(item).text,
    }),
    model: t.string({
      ...inTrace,
      description: 'The model that wrote it. Null: the caller lacks the scope. Scope: traces:read.',
      resolve: (item) => summaryOf(item).model,
    }),
    tokens: t.int({
      description: 'The length of the summary in tokens, as its model counted them.',
      resolve: (item) => summaryOf(item).tokens,
    }),
    firstItemId: t.id({
      description: 'The first item that it covers, apart from those that an earlier summary covers.',
      resolve: (item) => historyItemId(BigInt(summaryOf(item).firstItemId)),
    }),
    lastItemId: t.id({
      description: 'The last item that it covers.',
      resolve: (item) => historyItemId(BigInt(summaryOf(item).lastItemId)),
    }),
  }),
});

/** A database constraint guarantees that a summary has its content. */
function summaryOf({ summary }: TimelineItem): StoredSummary {
  return summary as unknown as StoredSummary;
}

const STATUS_TEXTS: Record<NonNullable<TimelineItem['status']>, string> = {
  pending: 'waits for its result',
  running: 'is running',
  completed: 'is done',
  failed: 'failed',
  not_completed: 'was not applied',
  cancelled: 'was cancelled',
};

export function callSummary({ name, status }: Pick<TimelineItem, 'name' | 'status'>): string {
  return `${name} ${STATUS_TEXTS[status ?? 'failed']}.`;
}
