import type { MessageContent } from '../contract/content.ts';
import type { CallKind, CallStatus, ConversationStatus, MessageRole, RunStatus } from '../contract/statuses.ts';
import { fromWireContent, type Message, type WirePart } from './content.ts';

/** What the assistant gave a tool, or a tool gave back. */
export type JsonObject = Readonly<Record<string, unknown>>;

interface Item {
  /** Sorts, as a string, in the order of the timeline. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

interface Call extends Item {
  /** Unique in the conversation. */
  readonly callId: string;
  /** Of the tool. */
  readonly name: string;
  /** What became of it. */
  readonly status: CallStatus;
  /** Safe to show: no arguments, outputs or secrets. */
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
  | (Item & { readonly type: 'message'; readonly role: MessageRole; readonly content: MessageContent })
  | (Call & { readonly type: 'tool' | 'action' })
  | (Call & { readonly type: 'client_tool'; readonly arguments: JsonObject; readonly output: JsonObject | null })
  | (Item & { readonly type: 'conversation_completed'; readonly summary: string });

/** A call that waits for the client. */
export interface PendingToolCall {
  /** What {@link AgentController.resolveTool} names. */
  readonly callId: string;
  /** Which tool it is, like `ask_user`. */
  readonly name: string;
  /** What to run it with. */
  readonly arguments: JsonObject;
}

/** A call of the latest run, without arguments or output. */
export interface ToolSummary {
  /** Of the tool or action. */
  readonly name: string;
  /** What runs it: `tool` and `action` the server, `client_tool` the client. */
  readonly type: CallKind;
  /** What became of it. */
  readonly status: CallStatus;
}

/** A sign of what the conversation waits for. */
export interface ProgressItem {
  /** `client_action_required`. */
  readonly type: string;
  /** The call that it is about. */
  readonly callId: string;
  /** Of its tool. */
  readonly name: string;
  /** Safe to show. */
  readonly summary: string;
}

/** Where a conversation stands. */
export interface ConversationState {
  readonly conversationStatus: ConversationStatus;
  readonly runId: string | null;
  readonly runStatus: RunStatus | null;
  readonly pendingToolCalls: readonly PendingToolCall[];
  /** Undefined where the source does not tell. */
  readonly toolSummary: readonly ToolSummary[] | undefined;
}

/** A page of the timeline, and the state that was read with it. */
export interface HistoryPage {
  readonly items: readonly HistoryItem[];
  readonly nextCursor: string | null;
  readonly state: ConversationState;
  /** Where a feed goes on behind this page; null where it was read without one. */
  readonly followCursor: string | null;
}

export interface WireItem {
  readonly id: string;
  readonly type: HistoryItem['type'];
  readonly created_at: string;
  readonly role?: MessageRole;
  readonly content?: readonly WirePart[];
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
}

export interface WireState {
  readonly conversation_status: ConversationStatus;
  readonly run_id: string | null;
  readonly run_status: RunStatus | null;
  readonly pending_client_actions: readonly WirePending[];
  readonly tool_summary?: readonly ToolSummary[];
}

export function fromWireItem(item: WireItem): HistoryItem {
  const { id, type, created_at: createdAt, summary = '' } = item;
  if (type === 'message') {
    return { id, type, createdAt, role: item.role ?? 'assistant', content: fromWireContent(item.content ?? []) };
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
    pendingToolCalls: wire.pending_client_actions.map(({ call_id, name, arguments: given }) => ({
      callId: call_id,
      name,
      arguments: given,
    })),
    toolSummary: wire.tool_summary,
  };
}

/** The messages among items; the number of a message is in its item's id. */
export function messagesOf(items: readonly HistoryItem[]): Message[] {
  return items.flatMap((item) =>
    item.type === 'message'
      ? [
          {
            id: Number(item.id.slice('item_'.length)),
            role: item.role,
            content: item.content,
            createdAt: item.createdAt,
          },
        ]
      : [],
  );
}

const isOver = (status: CallStatus) => status !== 'pending' && status !== 'running';

/**
 * Items with these put in, by id, oldest first. A call that is over stays so: what says otherwise was read before.
 */
export function mergeItems(known: readonly HistoryItem[], told: readonly HistoryItem[]): readonly HistoryItem[] {
  if (told.length === 0) return known;
  const byId = new Map(known.map((item) => [item.id, item]));
  for (const item of told) {
    const before = byId.get(item.id);
    const isOlder = before && 'status' in before && 'status' in item && isOver(before.status) && !isOver(item.status);
    if (!isOlder) byId.set(item.id, item);
  }
  return [...byId.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Calls since the last message of the user: what the latest run has called. */
export function summaryOf(items: readonly HistoryItem[]): ToolSummary[] {
  const start = items.findLastIndex((item) => item.type === 'message' && item.role === 'user') + 1;
  return items
    .slice(start)
    .flatMap((item) => ('callId' in item ? [{ name: item.name, type: item.type, status: item.status }] : []));
}
