import type { ParleyClient } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import type { SavedConversation, SavedConversations } from './saved-conversations.ts';

/** The number of conversations that the list shows at most. */
const PAGE_SIZE = 100;

/** The conversations of an identified user with one deployment, latest first, from the service. This browser does not store them. */
export function userConversations({ conversation: api }: Pick<ParleyClient, 'conversation'>): SavedConversations {
  const listeners = new Set<() => void>();
  let list: readonly SavedConversation[] = [];
  const set = (next: readonly SavedConversation[]) => {
    list = next;
    for (const listener of [...listeners]) listener();
  };
  const load = async () => {
    const { items } = await api.list({ pageSize: PAGE_SIZE });
    const known = new Set(list.map(({ id }) => id));
    const others = items.filter(({ conversationId }) => !known.has(conversationId));
    set([
      ...list,
      ...others.map(({ conversationId: id, name, updatedAt: usedAt }) => ({ id, title: titleOf(name), usedAt })),
    ]);
  };
  // Without the list the page still works: the next load of the page reads it again.
  load().catch(() => {});

  return {
    get: () => list,
    put(id, title) {
      const previous = list.find((one) => one.id === id);
      const usedAt = new Date().toISOString();
      const conversation = { id, title: titleOf(title ?? previous?.title), usedAt };
      set([conversation, ...list.filter((one) => one.id !== id)].slice(0, PAGE_SIZE));
    },
    rename: (id, title) => set(list.map((one) => (one.id === id ? { ...one, title: titleOf(title) } : one))),
    remove: (id) => set(list.filter((one) => one.id !== id)),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const titleOf = (name: string | null | undefined) => name?.replace(/\s+/g, ' ').trim() || texts().page.untitled;
