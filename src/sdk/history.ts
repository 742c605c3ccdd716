import type { MessageContent } from '../contract/content.ts';
import type {
  CallKind,
  CallStatus,
  ConversationStatus,
  FinishReason,
  MessageRole,
  RunStatus,
} from '../contract/statuses.ts';
import {
  fromWireContent,
  fromWireRating,
  type Message,
  type MessageRating,
  type MessageVariants,
  type WirePart,
  type WireRating,
} from './content.ts';

/** The arguments or the output of a tool. */
export type JsonObject = Readonly<Record<string, unknown>>;

interface Item {
  /** Sorts as a string in the order of the timeline. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

interface Call extends Item {
  /** Unique in the conversation. */
  readonly callId: string;
  /** The name of the tool. */
  readonly name: string;
  /** The status of the call. */
  readonly status: CallStatus;
  /** Safe to show: contains no arguments, outputs or secrets. */
  readonly summary: string;
}

/**
 * One item of a conversation's timeline.
 *
 * @example
 * switch (item.type) {
 *   case 'message': return <Bubble role={item.role} content={item.content} />;
 *   case 'conversation_completed': return <End>{item.summary}</End>;
 *   default: return <Activity>{item.summary}</Activity>;
 * }
 */
export type HistoryItem =
  | (Item & {
      readonly type: 'message';
      readonly role: MessageRole;
      readonly content: MessageContent;
      /** The rating of a reply. Undefined: it has no rating. */
      readonly rating?: MessageRating | undefined;
      /** As in {@link Message.variants}. */
      readonly variants?: MessageVariants | undefined;
    })
  | (Call & { readonly type: 'tool' | 'action' })
  | (Call & { readonly type: 'client_tool'; readonly arguments: JsonObject; readonly output: JsonObject | null })
  | (Item & { readonly type: 'conversation_completed'; readonly summary: string });

/** A tool call that waits for its output from the client. */
export interface PendingToolCall {
  /** The ID for {@link AgentController.resolveTool}. */
  readonly callId: string;
  /** The name of the tool, like `ask_user`. */
  readonly name: string;
  /** The arguments of the call. */
  readonly arguments: JsonObject;
  /** When the call expires, as an ISO 8601 time. Undefined: never. */
  readonly expiresAt?: string | undefined;
}

/** A call of the latest run, without its arguments and output. */
export interface ToolSummary {
  /** The name of the tool or action. */
  readonly name: string;
  /** `tool` and `action` run on the server, `client_tool` on the client. */
  readonly type: CallKind;
  /** The status of the call. */
  readonly status: CallStatus;
}

/** Something that the conversation waits for. */
export interface ProgressItem {
  /** `client_action_required`. */
  readonly type: string;
  /** The pending call. */
  readonly callId: string;
  /** The name of its tool. */
  readonly name: string;
  /** Safe to show. */
  readonly summary: string;
}

/** The state of a conversation and its latest run. */
export interface ConversationState {
  readonly conversationStatus: ConversationStatus;
  readonly runId: string | null;
  readonly runStatus: RunStatus | null;
  /** Undefined if the source does not contain it. */
  readonly finishReason?: FinishReason | null | undefined;
  readonly pendingToolCalls: readonly PendingToolCall[];
  /** Undefined if the source does not contain it. */
  readonly toolSummary: readonly ToolSummary[] | undefined;
}

/** A page of the timeline, with the state from the same read. */
export interface HistoryPage {
  readonly items: readonly HistoryItem[];
  readonly nextCursor: string | null;
  readonly state: ConversationState;
  /** The cursor that the conversation's feed starts after. Null in a page of the REST API. */
  readonly followCursor: string | null;
}

export interface WireItem {
  readonly id: string;
  readonly type: HistoryItem['type'];
  readonly created_at: string;
  readonly role?: MessageRole;
  readonly content?: readonly WirePart[];
  /** GraphQL has null, and REST leaves it out. */
  readonly rating?: WireRating | null;
  /** Null: there is no other variant. Missing: unknown. */
  readonly variants?: MessageVariants | null;
  readonly call_id?: string;
  readonly name?: string;
  readonly status?: CallStatus;
  readonly summary?: string;
  readonly arguments?: JsonObject;
  readonly output?: JsonObject | null;
}

interface WirePending {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  /** GraphQL has null, and REST leaves it out. */
  readonly expires_at?: string | null;
}

export interface WireState {
  readonly conversation_status: ConversationStatus;
  readonly run_id: string | null;
  readonly run_status: RunStatus | null;
  /** Not in the REST API. */
  readonly finish_reason?: FinishReason | null | undefined;
  readonly pending_client_actions: readonly WirePending[];
  readonly tool_summary?: readonly ToolSummary[];
}

export function fromWireItem(item: WireItem): HistoryItem {
  const { id, type, created_at: createdAt, summary = '' } = item;
  if (type === 'message') {
    const { role = 'assistant', content = [], rating, variants } = item;
    return {
      ...{ id, type, createdAt, role, content: fromWireContent(content) },
      ...(rating && { rating: fromWireRating(rating) }),
      ...(variants !== undefined && { variants: variants ?? undefined }),
    };
  }
  if (type === 'conversation_completed') return { id, type, createdAt, summary };
  const { call_id: callId = '', name = '', status = 'failed' } = item;
  const call = { id, createdAt, callId, name, status, summary };
  if (type !== 'client_tool') return { ...call, type };
  return { ...call, type, arguments: item.arguments ?? {}, output: item.output ?? null };
}

export function fromWireState(wire: WireState): ConversationState {
  return {
    conversationStatus: wire.conversation_status,
    runId: wire.run_id,
    runStatus: wire.run_status,
    finishReason: wire.finish_reason,
    pendingToolCalls: wire.pending_client_actions.map(fromWirePending),
    toolSummary: wire.tool_summary,
  };
}

function fromWirePending({ call_id: callId, expires_at: expiresAt, ...call }: WirePending): PendingToolCall {
  return { callId, ...call, ...(expiresAt && { expiresAt }) };
}

/** The ID of a message: the number in the ID of its history item. */
export function numberOf(id: number | string): number {
  return Number(String(id).replace(/^item_/, ''));
}

/** The messages among the items. The ID of a message is the number in its item ID. */
export function messagesOf(items: readonly HistoryItem[]): Message[] {
  return items.flatMap((item) => {
    if (item.type !== 'message') return [];
    const { id, type: _type, ...message } = item;
    return [{ id: numberOf(id), ...message }];
  });
}

const isFinished = (status: CallStatus) => status !== 'pending' && status !== 'running';

/** A copy of a known message. Its variants stay as long as the message is in the active line, and only some reads have them. */
export function withKnownVariants<Item extends object>(item: Item, known: object | undefined): Item {
  return known && 'variants' in known && !('variants' in item) ? { ...item, variants: known.variants } : item;
}

/** Merges items by ID, oldest first. A finished call stays finished: a pending copy of it was read earlier. */
export function mergeItems(known: readonly HistoryItem[], added: readonly HistoryItem[]): readonly HistoryItem[] {
  if (added.length === 0) return known;
  const byId = new Map(known.map((item) => [item.id, item]));
  for (const item of added) {
    const before = byId.get(item.id);
    const isOlder =
      before && 'status' in before && 'status' in item && isFinished(before.status) && !isFinished(item.status);
    if (!isOlder) byId.set(item.id, withKnownVariants(item, before));
  }
  return [...byId.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/**
 * The known items without those that a page of the newest ones shows as replaced. `before` are the items that were known when
 * the page was requested: later ones can be newer than the page. The same list if nothing was replaced.
 */
export function withoutReplaced<Item extends { readonly id: string | number }>(
  known: readonly Item[],
  before: readonly Item[],
  { items, nextCursor }: Pick<HistoryPage, 'items' | 'nextCursor'>,
): readonly Item[] {
  const start = nextCursor === null ? 0 : numberOf(items[0]?.id ?? 0);
  const active = new Set(items.map(({ id }) => numberOf(id)));
  const earlier = new Set(before);
  const isReplaced = (item: Item) => earlier.has(item) && numberOf(item.id) >= start && !active.has(numberOf(item.id));
  return known.some(isReplaced) ? known.filter((item) => !isReplaced(item)) : known;
}

/** The calls of the latest run: all calls since the last user message. */
export function summaryOf(items: readonly HistoryItem[]): ToolSummary[] {
  const start = items.findLastIndex((item) => item.type === 'message' && item.role === 'user') + 1;
  return items
    .slice(start)
    .flatMap((item) => ('callId' in item ? [{ name: item.name, type: item.type, status: item.status }] : []));
}
