import type { ResultOf } from 'gql.tada';
import { useRef } from 'react';
import { enumValueOf } from '../../../../contract/enum-names.ts';
import type { ContentPart, HistoryItem } from '../../../../sdk/index.ts';
import { isUuid } from '../../frame/filters.tsx';
import { useServiceQuery } from '../../requests.ts';
import { usePermission } from '../../session/session.ts';
import { PLAYGROUND_CONVERSATION } from '../documents.ts';

type Conversation = NonNullable<ResultOf<typeof PLAYGROUND_CONVERSATION>['conversation']>;
/** A summary is only returned on request. */
type Node = Exclude<Conversation['history']['nodes'][number], { __typename: 'ConversationSummary' }>;

/** A copy of a conversation's history. Later changes of the conversation do not change it. */
export interface SourceConversation {
  readonly id: string;
  readonly name: string;
  readonly items: readonly HistoryItem[];
  readonly lastItemId: string | null;
  readonly hasMore: boolean;
}

/** The state of the conversation that a test continues. */
export interface SourceState {
  readonly source: SourceConversation | undefined;
  readonly problem: string | undefined;
}

/** Reads a conversation once. */
export function useSourceConversation(id: string): SourceState {
  const canRead = usePermission('conversations:read');
  const isReadable = canRead && isUuid(id);
  const { data, error } = useServiceQuery(PLAYGROUND_CONVERSATION, { id }, { pause: !isReadable });
  const copy = useRef<SourceConversation>(undefined);
  if (id === '') return { source: undefined, problem: undefined };
  if (!canRead) return { source: undefined, problem: 'Your role does not allow you to read conversations.' };
  if (copy.current?.id === id) return { source: copy.current, problem: undefined };
  const conversation = data?.conversation;
  if (conversation) {
    copy.current = copyOf(id, conversation);
    return { source: copy.current, problem: undefined };
  }
  const isMissing = !isUuid(id) || conversation === null;
  return { source: undefined, problem: isMissing ? 'There is no conversation with this ID.' : error?.message };
}

function copyOf(id: string, { name, history: { nodes, pageInfo } }: Conversation): SourceConversation {
  return {
    id,
    name,
    items: (nodes as readonly Node[]).map(itemOf),
    lastItemId: nodes.at(-1)?.id ?? null,
    hasMore: pageInfo.hasPreviousPage,
  };
}

function itemOf(node: Node): HistoryItem {
  const { id, createdAt } = node;
  if (node.__typename === 'Message') {
    return { id, createdAt, type: 'message', role: enumValueOf(node.role), content: node.content.map(partOf) };
  }
  if (node.__typename === 'ConversationCompletion') {
    return { id, createdAt, type: 'conversation_completed', summary: node.summary };
  }
  const { callId, name, summary } = node;
  const call = { id, createdAt, callId, name, summary, status: enumValueOf(node.status) };
  if (node.__typename !== 'ClientToolCall')
    return { ...call, type: node.__typename === 'ToolCall' ? 'tool' : 'action' };
  return { ...call, type: 'client_tool', arguments: node.arguments, output: node.output };
}

function partOf(part: Extract<Node, { __typename: 'Message' }>['content'][number]): ContentPart {
  if (part.__typename === 'TextPart') return { type: 'text', text: part.text };
  if (part.__typename === 'DataPart') return { type: 'data', mimeType: part.mimeType, data: part.data };
  const type = enumValueOf(part.type);
  return { type: type === 'text' || type === 'data' ? 'url' : type, mimeType: part.mimeType, fileUri: part.fileUri };
}
