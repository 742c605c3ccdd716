import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { ChatState, MessageContent, ParleyClient } from '../../sdk/index.ts';
import { useConversation } from '../../sdk/react/index.ts';
import { setAddress, useAddress } from '../hosted/address.ts';
import type { SavedConversation, SavedConversations } from './saved-conversations.ts';
import { createThread, type Thread } from './thread.ts';
import type { ThreadState } from './thread-state.ts';

export interface UseChat {
  readonly chat: ChatState;
  readonly thread: Thread;
  readonly state: ThreadState;
  readonly conversations: readonly SavedConversation[];
  /** Shows one of them, or a new one, and says so in the address. */
  open(conversationId: string | null): void;
}

/** The conversation that the address names, kept in step with the address and with the list of this browser. */
export function useChat(client: ParleyClient, saved: SavedConversations): UseChat {
  const { conversation, ...chat } = useConversation(client);
  const [thread] = useState(() =>
    createThread(client, conversation, { onTurn: ({ conversationId, name }) => saved.put(conversationId, name) }),
  );
  const state = useSyncExternalStore(thread.subscribe, thread.getState);
  const conversations = useSyncExternalStore(saved.subscribe, saved.get);
  const { cid } = useAddress();
  /** Which conversation is shown, or is being opened. */
  const shown = useRef<string | null | undefined>(null);

  const show = useCallback(
    (id: string | null) => {
      shown.current = id;
      thread.open(id);
    },
    [thread],
  );
  useEffect(() => {
    if (cid !== shown.current) show(cid);
    return () => {
      // Whatever was being loaded was given up with the page's first life.
      if (thread.getState().opening === 'loading') shown.current = undefined;
    };
  }, [cid, show, thread]);

  const { id } = chat;
  const { outgoing } = state;
  useEffect(() => {
    if (!id || shown.current !== null || outgoing?.phase !== 'sending') return;
    // The first reply has begun: from now on a reload finds the conversation.
    shown.current = id;
    saved.put(id, titleOf(outgoing.content));
    setAddress({ cid: id }, 'replace');
  }, [id, outgoing, saved]);

  const first = chat.messages[0];
  const { opening } = state;
  useEffect(() => {
    if (opening === 'loading' || opening === 'done' || !shown.current) return;
    if (opening.code === 'not_found') saved.remove(shown.current);
  }, [opening, saved]);
  useEffect(() => {
    // One that was opened from a link is of this browser from now on.
    const isNew = id !== null && opening === 'done' && first && !saved.get().some((one) => one.id === id);
    if (isNew) saved.put(id, titleOf(first.content));
  }, [id, opening, first, saved]);

  return {
    chat,
    thread,
    state,
    conversations,
    open(conversationId) {
      setAddress({ cid: conversationId }, 'push');
      if (conversationId === cid) show(conversationId);
    },
  };
}

function titleOf(content: MessageContent): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
}
