import type { MessageContent } from '../contract/content.ts';
import { numberOfItem } from '../contract/ids.ts';
import type {
  CallKind,
  CallStatus,
  ConversationStatus,
  FinishReason,
  HandlingMode,
  MessageRole,
  RunStatus,
} from '../contract/statuses.ts';
import type { Message, MessageAuthor, MessageRating, MessageVariants } from './content.ts';
import { fromWire } from './wire.ts';

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
 *   case 'handling': return <Line>{item.mode === 'member' ? `${item.author?.displayName} has joined` : item.mode}</Line>;
 *   case 'conversation_completed': return <End>{item.summary}</End>;
 *   default: return <Activity>{item.summary}</Activity>;
 * }
 */
export type HistoryItem =
  | (Item & {
      readonly type: 'message';
      readonly role: MessageRole;
      /** As in {@link Message.author}. */
      readonly author?: MessageAuthor | undefined;
      readonly content: MessageContent;
      /** The rating of a reply. Undefined: it has no rating. */
      readonly rating?: MessageRating | undefined;
      /** As in {@link Message.variants}. */
      readonly variants?: MessageVariants | undefined;
    })
  | (Call & { readonly type: 'tool' | 'action' })
  | (Call & { readonly type: 'client_tool'; readonly arguments: JsonObject; readonly output: JsonObject | null })
  | HandlingChange
  | (Item & { readonly type: 'conversation_completed'; readonly summary: string });

/** A change of who answers the user: a person has joined, the conversation waits for one, or the assistant is back. */
export interface HandlingChange extends Item {
  readonly type: 'handling';
  /** Who answers from then on. `waiting`: nobody yet. */
  readonly mode: HandlingMode;
  /** The person who took the conversation over, left it or handed it back. Undefined: no person did. */
  readonly author?: MessageAuthor | undefined;
}

/** Who answers the user in place of the assistant. Until the assistant is back, messages are stored and start no turn. */
export interface Handling {
  /** `waiting`: the conversation waits for a person. `member`: a person answers. */
  readonly mode: Exclude<HandlingMode, 'assistant'>;
  /** The name of the person. Null while the conversation waits. */
  readonly name: string | null;
}

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
  /** The latest change of the handling. Undefined if the source does not contain it. */
  readonly handling?: LatestChange | undefined;
}

/** A page of the timeline, with the state from the same read. */
export interface HistoryPage {
  readonly items: readonly HistoryItem[];
  readonly nextCursor: string | null;
  readonly state: ConversationState;
  /** The cursor that the conversation's feed starts after. Null in a page of the REST API. */
  readonly followCursor: string | null;
}

/** An item in the REST API or the GraphQL API, with the names and the enum values of the SDK. Its type determines its fields. */
interface AnyItem extends Call {
  readonly type: HistoryItem['type'];
  readonly role: MessageRole;
  readonly mode: HandlingMode;
  readonly content: MessageContent;
  readonly arguments: JsonObject;
  readonly output: JsonObject | null;
  /** GraphQL has null, and REST leaves it out. */
  readonly author: MessageAuthor | null;
  readonly rating: MessageRating | null;
  /** Null: there is no other variant. Undefined: unknown. */
  readonly variants: MessageVariants | null | undefined;
}

export function fromWireItem(wire: object): HistoryItem {
  const { id, type, createdAt, summary, ...item } = fromWire<AnyItem>(wire);
  const author = item.author && { author: item.author };
  if (type === 'handling') return { id, type, createdAt, mode: item.mode, ...author };
  if (type === 'message') {
    const { role, content, rating, variants } = item;
    return {
      ...{ id, type, createdAt, role, content, ...author },
      ...(rating && { rating }),
      ...(variants !== undefined && { variants: variants ?? undefined }),
    };
  }
  if (type === 'conversation_completed') return { id, type, createdAt, summary };
  const { callId, name, status } = item;
  const call = { id, createdAt, callId, name, status, summary };
  if (type !== 'client_tool') return { ...call, type };
  return { ...call, type, arguments: item.arguments, output: item.output };
}

/** The latest change of the handling, as a conversation has it. */
interface LatestChange {
  readonly mode: HandlingMode;
  readonly author?: Pick<MessageAuthor, 'displayName'> | null;
  /** Null: it has never changed. */
  readonly since: string | null;
}

/** The state of a conversation in the same form. */
interface AnyState extends Pick<ConversationState, 'conversationStatus' | 'runId' | 'runStatus'> {
  /** Not in the REST API. */
  readonly finishReason?: FinishReason | null;
  readonly toolSummary?: readonly ToolSummary[];
  /** GraphQL has null for a call without a deadline, and REST leaves it out. */
  readonly pendingClientActions: readonly (Omit<PendingToolCall, 'expiresAt'> & {
    readonly expiresAt?: string | null;
  })[];
  /** Missing in older versions of the service. */
  readonly handling?: LatestChange;
}

export function fromWireState(wire: object): ConversationState {
  const state = fromWire<AnyState>(wire);
  const { conversationStatus, runId, runStatus, finishReason, toolSummary, handling } = state;
  return {
    ...{ conversationStatus, runId, runStatus, finishReason, toolSummary, handling },
    pendingToolCalls: state.pendingClientActions.map(({ expiresAt, ...call }) => ({
      ...call,
      ...(expiresAt && { expiresAt }),
    })),
  };
}

export function handlingOf(mode: HandlingMode, name: string | null = null): Handling | null {
  return mode === 'assistant' ? null : { mode, name: mode === 'member' ? name : null };
}

/**
 * The handling after a read of the conversation, or after items of the feed. The service reads a conversation before its items,
 * so that they can have a newer change.
 */
export function handlingAfter(
  items: readonly HistoryItem[],
  before: Handling | null,
  read?: LatestChange | undefined,
): Handling | null {
  const change = changesOf(items).at(-1);
  const { mode, author } = (change && change.createdAt > (read?.since ?? '') ? change : read) ?? {};
  return mode ? handlingOf(mode, author?.displayName) : before;
}

/** The changes of the handling among the items. */
export function changesOf(items: readonly HistoryItem[]): HandlingChange[] {
  return items.filter((item) => item.type === 'handling');
}

/** The messages among the items. The ID of a message is the number in its item ID. */
export function messagesOf(items: readonly HistoryItem[]): Message[] {
  return items.flatMap((item) => {
    if (item.type !== 'message') return [];
    const { id, type: _type, ...message } = item;
    return [{ id: numberOfItem(id), ...message }];
  });
}

const isCall = (item: object): item is Call => 'status' in item;

const isFinished = (status: CallStatus) => status !== 'pending' && status !== 'running';

/** A copy of a known message. Its variants stay as long as the message is in the active line, and only some reads have them. */
function withKnownVariants<Item extends object>(item: Item, known: object | undefined): Item {
  return known && 'variants' in known && !('variants' in item) ? { ...item, variants: known.variants } : item;
}

/** Merges items or messages by ID, oldest first. A finished call stays finished: a pending copy of it was read earlier. */
export function mergeItems<Item extends { readonly id: string | number }>(
  known: readonly Item[],
  added: readonly Item[],
): readonly Item[] {
  if (added.length === 0) return known;
  const byId = new Map(known.map((item) => [item.id, item]));
  for (const item of added) {
    const before = byId.get(item.id);
    const isOlder = before && isCall(before) && isCall(item) && isFinished(before.status) && !isFinished(item.status);
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
  const start = nextCursor === null ? 0 : numberOfItem(items[0]?.id ?? 0);
  const active = new Set(items.map(({ id }) => numberOfItem(id)));
  const earlier = new Set(before);
  const isReplaced = (item: Item) =>
    earlier.has(item) && numberOfItem(item.id) >= start && !active.has(numberOfItem(item.id));
  return known.some(isReplaced) ? known.filter((item) => !isReplaced(item)) : known;
}

/** The calls of the latest run: all calls since the last user message. */
export function summaryOf(items: readonly HistoryItem[]): ToolSummary[] {
  const start = items.findLastIndex((item) => item.type === 'message' && item.role === 'user') + 1;
  return items
    .slice(start)
    .flatMap((item) => ('callId' in item ? [{ name: item.name, type: item.type, status: item.status }] : []));
}
