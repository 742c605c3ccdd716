import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { ChatState, MessageContent, ParleyClient, ParleyError } from '../../sdk/index.ts';
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
  const first = chat.messages[0];
  const firstContent = outgoing?.content ?? first?.content;
  useEffect(() => {
    // As it is now: another one may have been opened since this was shown.
    const isOpen = id !== null && conversation.getState().id === id;
    if (!isOpen || shown.current !== null || !firstContent) return;
    // The first reply has begun: from now on a reload finds the conversation.
    shown.current = id;
    if (!saved.get().some((one) => one.id === id)) saved.put(id, titleOf(firstContent));
    setAddress({ cid: id }, 'replace');
  }, [id, firstContent, conversation, saved]);

  const { opening } = state;
  useEffect(() => {
    if (opening === 'loading' || opening === 'done' || !shown.current) return;
    if (isGone(opening)) saved.remove(shown.current);
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

/** Whether there is no such conversation; what is no id at all is told as a request that is wrong. */
export const isGone = ({ code }: ParleyError) => code === 'not_found' || code === 'invalid_request';

function titleOf(content: MessageContent): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
}
