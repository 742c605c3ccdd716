import type { ContentPart } from '../contract/content.ts';
import { historyItemId } from '../contract/ids.ts';
import type { TimelineItem } from '../db/generated/client.ts';
import { builder, type JsonObject } from './builder.ts';
import { ContentPartInterface } from './content.ts';
import { CallStatusEnum, MessageRoleEnum } from './enums.ts';

const TYPE_OF_KIND = {
  message: 'Message',
  tool: 'ToolCall',
  action: 'ActionCall',
  client_tool: 'ClientToolCall',
  conversation_completed: 'ConversationCompletion',
} as const satisfies Record<TimelineItem['kind'], string>;

/** One row of a conversation's timeline (SPEC 2 History item, WIRE 7). */
export const HistoryItem = builder.interfaceRef<TimelineItem>('HistoryItem').implement({
  description: "One item of a conversation's timeline.",
  resolveType: ({ kind }) => TYPE_OF_KIND[kind],
  fields: (t) => ({
    id: t.id({
      description: 'Sorts, as a string, in the order of the timeline.',
      resolve: (item) => historyItemId(item.id),
    }),
    type: t.string({
      description: 'message, tool, action, client_tool or conversation_completed.',
      resolve: (item) => item.kind,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was stored.' }),
  }),
});

export const Message = builder.objectRef<TimelineItem>('Message').implement({
  description: 'What the user or the assistant said. Tool calls and results are never messages.',
  interfaces: [HistoryItem],
  fields: (t) => ({
    messageId: t.field({
      type: 'SafeInt',
      description: 'The number by which REST names the message.',
      resolve: (item) => Number(item.id),
    }),
    role: t.field({
      type: MessageRoleEnum,
      description: 'Who said it.',
      // The database holds that a message has a role and content.
      resolve: (item) => item.role as NonNullable<typeof item.role>,
    }),
    content: t.field({
      type: [ContentPartInterface],
      description: 'Its parts, in order.',
      resolve: (item) => item.content as unknown as ContentPart[],
    }),
  }),
});

const Call = builder.interfaceRef<TimelineItem>('Call').implement({
  description: 'Something that the assistant asked for beside talking.',
  interfaces: [HistoryItem],
  fields: (t) => ({
    // The database holds that a call has an id, a name and a status.
    callId: t.string({ description: 'Unique in the conversation.', resolve: (item) => item.callId ?? '' }),
    name: t.string({ description: 'The name of the tool.', resolve: (item) => item.name ?? '' }),
    status: t.field({
      type: CallStatusEnum,
      description: 'What became of it.',
      resolve: (item) => item.status ?? 'failed',
    }),
    summary: t.string({
      description: 'A sentence that is safe to show: no arguments, outputs or secrets.',
      resolve: callSummary,
    }),
  }),
});

builder.objectRef<TimelineItem>('ToolCall').implement({
  description: 'A call of a server tool that is built in.',
  interfaces: [HistoryItem, Call],
});

builder.objectRef<TimelineItem>('ActionCall').implement({
  description: 'A call of a server action that the workflow configures.',
  interfaces: [HistoryItem, Call],
});

builder.objectRef<TimelineItem>('ClientToolCall').implement({
  description: 'A call of a tool that the client runs.',
  interfaces: [HistoryItem, Call],
  fields: (t) => ({
    arguments: t.field({
      type: 'JSONObject',
      description: 'What the assistant gave the tool.',
      resolve: (item) => item.arguments as JsonObject,
    }),
    output: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'The accepted result; null until there is one.',
      resolve: (item) => item.output as JsonObject | null,
    }),
  }),
});

builder.objectRef<TimelineItem>('ConversationCompletion').implement({
  description: 'The mark that the assistant has permanently completed the conversation.',
  interfaces: [HistoryItem],
  fields: (t) => ({
    summary: t.string({
      description: 'A sentence that is safe to show.',
      resolve: () => 'The assistant completed the conversation.',
    }),
  }),
});

const WORDS: Record<NonNullable<TimelineItem['status']>, string> = {
  pending: 'waits for its result',
  running: 'is running',
  completed: 'is done',
  failed: 'failed',
  not_completed: 'was not applied',
  cancelled: 'was cancelled',
};

export function callSummary({ name, status }: Pick<TimelineItem, 'name' | 'status'>): string {
  return `${name} ${WORDS[status ?? 'failed']}.`;
}
