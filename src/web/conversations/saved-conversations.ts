import { LIMITS } from '../../contract/limits.ts';
import { texts } from '../texts/current.ts';

/** A conversation in the list of this browser. */
export interface SavedConversation {
  readonly id: string;
  readonly title: string;
  /** ISO 8601: the latest turn in this browser. */
  readonly usedAt: string;
}

/** The conversations of this browser with one deployment, latest first. The service has no list for visitors. */
export interface SavedConversations {
  get(): readonly SavedConversation[];
  /** Moves a conversation to the top. Without `title` it keeps its title. */
  put(id: string, title?: string): void;
  rename(id: string, title: string): void;
  remove(id: string): void;
  subscribe(listener: () => void): () => void;
}

const MAX_CONVERSATIONS = 100;

/** The list of one hosted page. Stored in localStorage. If that fails (full or blocked), the list lives as long as the page. */
export function savedConversations(page: 'chat' | 'agent', deploymentId: string): SavedConversations {
  const key = `parley.${page}.${deploymentId}`;
  const listeners = new Set<() => void>();
  let list = parsed(read(key));

  function update(change: (list: readonly SavedConversation[]) => readonly SavedConversation[]): void {
    const stored = read(key);
    // Another tab may have changed it.
    list = change(stored === null ? list : parsed(stored)).slice(0, MAX_CONVERSATIONS);
    write(key, JSON.stringify(list));
    notify();
  }
  const notify = () => {
    for (const listener of [...listeners]) listener();
  };
  addEventListener('storage', (event) => {
    if (event.key !== key && event.key !== null) return;
    list = parsed(event.newValue);
    notify();
  });

  return {
    get: () => list,
    put: (id, title) =>
      update((before) => {
        const previous = before.find((one) => one.id === id);
        const conversation = { id, title: shortened(title ?? previous?.title ?? ''), usedAt: new Date().toISOString() };
        return [conversation, ...before.filter((one) => one.id !== id)];
      }),
    rename: (id, title) =>
      update((before) => before.map((one) => (one.id === id ? { ...one, title: shortened(title) } : one))),
    remove: (id) => update((before) => before.filter((one) => one.id !== id)),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const shortened = (title: string) =>
  title.replace(/\s+/g, ' ').trim().slice(0, LIMITS.conversationNameLength) || texts().page.untitled;

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Full or blocked: the list of this page still has it.
  }
}

/** Ignores invalid content: extensions and people write to localStorage too. */
function parsed(text: string | null): readonly SavedConversation[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter(isSaved) : [];
  } catch {
    return [];
  }
}

function isSaved(value: unknown): value is SavedConversation {
  const { id, title, usedAt } = (value ?? {}) as Record<string, unknown>;
  return [id, title, usedAt].every((one) => typeof one === 'string') && !Number.isNaN(Date.parse(String(usedAt)));
}
