import type { ResultOf } from 'gql.tada';
import { useRef } from 'react';
import { textOf } from '../../../../contract/content.ts';
import { enumValueOf } from '../../../../contract/enum-names.ts';
import type { ContentPart, HistoryItem } from '../../../../sdk/index.ts';
import type { Beginning } from '../../../messages/composer.tsx';
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
  /** Null: there is no item. */
  readonly lastItemId: string | null;
  readonly hasMore: boolean;
  readonly variables: Readonly<Record<string, string>>;
  /** The message of the turn before which the copy ends, for the composer. Undefined without such a turn. */
  readonly beginning: Beginning | undefined;
}

/** The state of the conversation that a test continues. */
export interface SourceState {
  readonly source: SourceConversation | undefined;
  readonly problem: string | undefined;
}

/** Reads a conversation once: all of it, or the items before a turn. */
export function useSourceConversation(id: string, turnId: string): SourceState {
  const canRead = usePermission('conversations:read');
  const isReadable = canRead && isUuid(id);
  const { data, error } = useServiceQuery(PLAYGROUND_CONVERSATION, { id }, { pause: !isReadable });
  const copy = useRef<SourceConversation>(undefined);
  if (id === '') return { source: undefined, problem: undefined };
  if (!canRead) return { source: undefined, problem: 'Your role does not allow you to read conversations.' };
  if (copy.current?.id === id) return { source: copy.current, problem: undefined };
  const conversation = data?.conversation;
  if (conversation) {
    copy.current = copyOf(id, conversation, turnId);
    return { source: copy.current, problem: copy.current ? undefined : TURN_MISSING };
  }
  const isMissing = !isUuid(id) || conversation === null;
  return { source: undefined, problem: isMissing ? 'There is no conversation with this ID.' : error?.message };
}

const TURN_MISSING = 'This turn is not among the latest 100 items of the conversation.';

/** Undefined if the history has no item of the turn. */
function copyOf(
  id: string,
  { name, variables, history }: Conversation,
  turnId: string,
): SourceConversation | undefined {
  const nodes = history.nodes as readonly Node[];
  const end = turnId ? nodes.findIndex(({ run }) => run?.runId === turnId) : nodes.length;
  if (end < 0) return undefined;
  const items = nodes.slice(0, end).flatMap(itemOf);
  const first = nodes[end];
  return {
    id,
    name,
    items,
    lastItemId: items.at(-1)?.id ?? null,
    hasMore: history.pageInfo.hasPreviousPage,
    variables: Object.fromEntries(variables.map((one) => [one.name, String(one.value)])),
    beginning: first?.__typename === 'Message' ? { text: textOf(first.content.map(partOf)) } : undefined,
  };
}

/** Empty for an item that the page does not ask for. */
function itemOf(node: Node): HistoryItem | [] {
  const { id, createdAt } = node;
  if (node.__typename === 'HandlingChange') return [];
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
