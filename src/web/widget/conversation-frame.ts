import { type FrameState, REPORTED_REPLIES } from './frame-state.ts';
import { IDENTIFIED, isTokenRequest, type TokenReply } from './frame-token.ts';
import type { UserSource } from './identity.ts';
import { type Memory, UUID } from './memory.ts';
import { element } from './view.ts';

/** The hosted page in its frame. It exists from its first use on, so that closing the widget ends nothing. */
export interface ConversationFrame {
  /** Loads the page with the remembered conversation, unless it is loaded. */
  load(): HTMLIFrameElement;
  /** Whether there is a conversation that can get messages. */
  hasConversation(): boolean;
  /** Removes the page with everything of its user. The next load is for the current user. */
  reset(): void;
  /** Marks all messages as seen. */
  markSeen(): void;
}

interface FrameOptions {
  readonly panel: HTMLElement;
  /** The URL of the hosted page, without a conversation. */
  readonly address: URL;
  readonly title: string;
  /** The memory for the current user. */
  readonly memory: () => Memory;
  /** Returns tokens of the current user. Null: a visitor. */
  readonly source: () => UserSource | null;
  readonly isOpen: () => boolean;
  readonly onUnread: (count: number) => void;
  /** The user wants to leave the page. */
  readonly onLeave: () => void;
}

export function createFrame(options: FrameOptions): ConversationFrame {
  const { panel, address, title, memory, source, isOpen, onUnread, onLeave } = options;
  let frame: HTMLIFrameElement | undefined;
  let replies: readonly number[] = [];
  /** Whether the user has seen the page. */
  let isUsed = false;

  function addressFor(conversation: string | null): string {
    const page = addressOf(address, conversation);
    if (source()) page.searchParams.set(IDENTIFIED, '');
    return page.href;
  }

  function update({ conversation, replies: reported }: FrameState): void {
    const before = memory().get();
    if (conversation === null && !isUsed) {
      // The remembered conversation was deleted. The next load starts a new one.
      remove();
    }
    replies = reported;
    memory().set({ conversation, seen: conversation === before.conversation ? before.seen : 0 });
    if (isOpen()) markSeen();
    else onUnread(unreadCount());
  }

  function remove(): void {
    frame?.remove();
    frame = undefined;
  }

  /** Only the frame that asked gets the token, and only while its user is the current one. */
  async function sendToken(id: number): Promise<void> {
    const [asking, current] = [frame, source()];
    if (!current) return;
    const reply = await replyWithToken(current, id);
    if (frame === asking && source() === current) asking?.contentWindow?.postMessage(reply, address.origin);
  }

  function markSeen(): void {
    isUsed = true;
    const { conversation, seen } = memory().get();
    memory().set({ conversation, seen: Math.max(seen, ...replies) });
    onUnread(0);
  }

  function unreadCount(): number {
    const { seen } = memory().get();
    return replies.filter((reply) => reply > seen).length;
  }

  // Every page and frame can send messages to this window, so only the hosted page's own are read.
  addEventListener('message', ({ data, source, origin }) => {
    if (!frame || source !== frame.contentWindow || origin !== address.origin) return;
    if (data === 'parley:leave') onLeave();
    else if (isTokenRequest(data)) void sendToken(data.id);
    else if (isState(data)) update(data);
  });

  return {
    load() {
      frame ??= panel.appendChild(
        element('iframe', { title, src: addressFor(memory().get().conversation), allow: 'clipboard-write' }),
      );
      return frame;
    },
    hasConversation: () => memory().get().conversation !== null,
    reset() {
      remove();
      [replies, isUsed] = [[], false];
      onUnread(0);
    },
    markSeen,
  };
}

function addressOf(page: URL, conversation: string | null): URL {
  const address = new URL(page);
  if (conversation) {
    address.searchParams.set('cid', conversation);
    // The trigger has started this conversation.
    address.searchParams.delete('tid');
  }
  return address;
}

function isState(data: unknown): data is FrameState {
  const { type, conversation, replies } = (data ?? {}) as Partial<Record<keyof FrameState, unknown>>;
  return (
    type === 'parley:state' &&
    (conversation === null || (typeof conversation === 'string' && UUID.test(conversation))) &&
    Array.isArray(replies) &&
    replies.length <= REPORTED_REPLIES &&
    replies.every(Number.isSafeInteger)
  );
}

/** The reply to a hosted page that asks for a token of the user. A source that fails signs nobody in. */
async function replyWithToken(source: UserSource, id: number): Promise<TokenReply> {
  const made = await Promise.resolve()
    .then(source)
    .catch(() => null);
  const { token, expiresAt } =
    typeof made === 'object' ? (made ?? { token: null, expiresAt: undefined }) : { token: made, expiresAt: undefined };
  return { type: 'parley:token', id, token, expiresAt };
}
