import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { textOf } from '../../contract/content.ts';
import type { ChatState, ConversationController, ParleyClient, ParleyError } from '../../sdk/index.ts';
import { useConversation } from '../../sdk/react/index.ts';
import type { SavedConversations } from '../conversations/saved-conversations.ts';
import type { RateReply } from '../feedback/rating-context.ts';
import { setAddress, useAddress } from '../hosted/address.ts';
import { createThread, type Thread } from './thread.ts';
import type { ThreadState } from './thread-state.ts';

export interface UseChat {
  readonly chat: ChatState;
  readonly thread: Thread;
  readonly state: ThreadState;
  readonly rate: RateReply;
  readonly conversation: ConversationController;
  /** Shows one of them, or a new conversation, and updates the address. */
  open(conversationId: string | null): void;
}

/** The conversation in the address, synchronized with the address and with the list of this browser. */
export function useChat(client: ParleyClient, saved: SavedConversations): UseChat {
  const { conversation, ...chat } = useConversation(client, { follow: false });
  const [thread] = useState(() =>
    createThread(client, conversation, { onTurn: ({ conversationId, name }) => saved.put(conversationId, name) }),
  );
  const state = useSyncExternalStore(thread.subscribe, thread.getState);
  const isOpen = state.opening === 'done';
  // The thread reads the conversation first, because it knows what a missing conversation means.
  useEffect(() => (isOpen ? conversation.follow() : undefined), [conversation, isOpen]);
  const { cid } = useAddress();
  /** The conversation that is open or loading. Undefined if loading was aborted. */
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
      // StrictMode unmounts the page once, which aborts loading.
      if (thread.getState().opening === 'loading') shown.current = undefined;
    };
  }, [cid, show, thread]);

  const { id } = chat;
  const { outgoing } = state;
  const first = chat.messages[0];
  const firstContent = outgoing?.content ?? first?.content;
  useEffect(() => {
    // Read the current state: another conversation may have been opened since this render.
    const isOpen = id !== null && conversation.getState().id === id;
    if (!isOpen || shown.current !== null || !firstContent) return;
    // The conversation exists now. With its ID in the address, a reload finds it.
    shown.current = id;
    if (!saved.get().some((one) => one.id === id)) saved.put(id, textOf(firstContent));
    setAddress({ cid: id }, 'replace');
  }, [id, firstContent, conversation, saved]);

  const { opening } = state;
  useEffect(() => {
    if (opening === 'loading' || opening === 'done' || !shown.current) return;
    if (isMissing(opening)) saved.remove(shown.current);
  }, [opening, saved]);
  useEffect(() => {
    // Add a conversation that was opened from a link.
    const isNew = id !== null && opening === 'done' && first && !saved.get().some((one) => one.id === id);
    if (isNew) saved.put(id, textOf(first.content));
  }, [id, opening, first, saved]);

  return {
    chat,
    thread,
    state,
    rate: conversation.rateMessage,
    conversation,
    open(conversationId) {
      setAddress({ cid: conversationId }, 'push');
      if (conversationId === cid) show(conversationId);
    },
  };
}

/** Whether the conversation does not exist. An ID that is not a UUID is an invalid request. */
export const isMissing = ({ code }: ParleyError) => code === 'not_found' || code === 'invalid_request';
