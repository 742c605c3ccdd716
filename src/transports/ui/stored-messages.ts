import type { UIMessage } from 'ai';
import { APPROVAL_TOOL } from '../../contract/client-tools.ts';
import type { AuthorKind } from '../../contract/statuses.ts';
import type { StreamEvent } from '../../rest/stream.ts';
import { type ChatChunk, TurnChunks } from './chunks.ts';
import type { ApprovalRequest, CallItem, ChatRun, FeedItem } from './feed-items.ts';
import { type StoredPart, textIn, uiPart } from './files.ts';
import { endMetadata, startMetadata } from './metadata.ts';
import { partsOf } from './parts.ts';

/** An item of the timeline, as the document of the page selects it. */
export type StoredItem = FeedItem & {
  readonly id: string;
  readonly created_at: unknown;
  readonly role?: 'user' | 'assistant';
  readonly content?: readonly StoredPart[];
  /** The person who wrote the message for the assistant. */
  readonly author?: { readonly display_name: string; readonly kind: AuthorKind };
  /** Null: the conversation was deleted in the meantime. */
  readonly run: ChatRun | null;
};

/** The newest items of a conversation, oldest first. */
export interface StoredPage {
  readonly items: readonly StoredItem[];
  /** Null: there are no older items. */
  readonly next_cursor: string | null;
}

/**
 * The messages of a page. A turn whose question is on an earlier page is left out, unless it is the only one. So is the
 * reply that is being written: `resume` streams it from its start.
 */
export function messagesOf({ items, next_cursor }: StoredPage): UIMessage[] {
  const first = next_cursor === null ? 0 : items.findIndex(isQuestion);
  const replies = new Map<string, StoredItem[]>();
  const messages: (StoredItem | StoredItem[])[] = [];
  for (const item of items.slice(Math.max(first, 0))) {
    const runId = item.run?.run_id ?? '';
    const reply = replies.get(runId);
    if (isWhole(item)) messages.push(item);
    else if (reply) reply.push(item);
    else {
      const started = [item];
      replies.set(runId, started);
      messages.push(started);
    }
  }
  return messages.flatMap((one) => (Array.isArray(one) ? replyOf(one) : [wholeMessage(one)]));
}

const isQuestion = ({ role }: StoredItem) => role === 'user';

/** Whether the item is a message of the page on its own. The others are steps of replies. */
const isWhole = (item: StoredItem) => isQuestion(item) || item.author !== undefined;

function wholeMessage({ id, role = 'user', created_at: createdAt, author, content = [] }: StoredItem): UIMessage {
  const written = author && { author: { displayName: author.display_name, kind: author.kind } };
  return { id, role, metadata: { createdAt, ...written }, parts: content.map(uiPart) };
}

function replyOf(items: readonly StoredItem[]): UIMessage[] {
  const run = items[0]?.run;
  if (!run || run.status === 'running') return [];
  const turn = new TurnChunks({});
  const chunks: ChatChunk[] = [...approvalsFirst(items).flatMap(eventsOf), endOf(run)].flatMap((event) =>
    turn.read(event),
  );
  const parts = partsOf(chunks).map((part) => withAnswer(part, items));
  const metadata = { ...startMetadata(run), ...endMetadata(run) };
  return parts.length > 0 ? [{ id: run.run_id, role: 'assistant', metadata, parts }] : [];
}

/** The events of a stored item, as the feed sends them while the turn runs. */
function eventsOf(item: StoredItem): StreamEvent[] {
  const stored = { event: 'item', item, completes: item.id };
  if (item.type !== 'message') return [stored];
  return [{ event: 'text.delta', message_key: item.id, text: textIn(item.content ?? []) }, stored];
}

const endOf = ({ status }: ChatRun): StreamEvent =>
  status === 'waiting_for_client_action'
    ? { event: 'turn.paused' }
    : { event: 'turn.ended', run_status: status, finish_reason: null, error_code: null };

/** The feed has an answer to an approval before the call that it is about. The timeline can have it after the call. */
function approvalsFirst(items: readonly StoredItem[]): StoredItem[] {
  const approvals = items.filter((item) => approvedCall(item) !== undefined);
  return items
    .filter((item) => !approvals.includes(item))
    .flatMap((item) => [...approvals.filter((one) => 'call_id' in item && approvedCall(one) === item.call_id), item]);
}

/** The call that an approval is about. Undefined: the item is no approval, or the caller cannot give it. */
function approvedCall(item: StoredItem): string | undefined {
  if (item.type !== 'client_tool' || item.name !== APPROVAL_TOOL) return undefined;
  return (item.arguments as Partial<ApprovalRequest>).call_id;
}

/** Adds the answer to an approval, which a page knows from its own `addToolApprovalResponse`. */
function withAnswer(part: UIMessage['parts'][number], items: readonly StoredItem[]): UIMessage['parts'][number] {
  if (!('toolCallId' in part)) return part;
  const approval = items.find((item) => approvedCall(item) === part.toolCallId) as CallItem | undefined;
  if (!approval?.output) return part;
  const { approved, reason } = approval.output;
  const answer = { id: approval.call_id, approved: approved === true, ...(reason ? { reason } : {}) };
  return { ...part, approval: answer } as typeof part;
}
