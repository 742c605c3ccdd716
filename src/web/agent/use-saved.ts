import { useEffect, useRef } from 'react';
import { textOf } from '../../contract/content.ts';
import type { UseAgent } from '../../sdk/react/index.ts';
import type { SavedConversations } from '../conversations/saved-conversations.ts';

type Opened = Pick<UseAgent, 'conversationId' | 'error' | 'messages'>;

/** Keeps the open conversation in the list of this browser. A turn moves it to the top. */
export function useSaved(saved: SavedConversations, { conversationId, error, messages }: Opened): void {
  const own = messages.filter(({ role }) => role === 'user');
  const [first] = own;
  const latestId = own.at(-1)?.id;
  const seenId = useRef<number>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new message changes the list
  useEffect(() => {
    if (conversationId === null || !first) return;
    const isListed = saved.get().some(({ id }) => id === conversationId);
    if (!isListed) saved.put(conversationId, textOf(first.content));
    else if (seenId.current !== undefined) saved.put(conversationId);
    seenId.current = latestId;
  }, [conversationId, latestId, saved]);
  const isMissing = error?.status === 404;
  useEffect(() => {
    if (conversationId !== null && isMissing) saved.remove(conversationId);
  }, [conversationId, isMissing, saved]);
}
