/** A conversation of this browser, as its list shows it. */
export interface SavedConversation {
  readonly id: string;
  readonly title: string;
  /** ISO 8601: when something was last said in it here. */
  readonly usedAt: string;
}

/** The conversations of this browser with one deployment: the service lists none for visitors. Latest first. */
export interface SavedConversations {
  get(): readonly SavedConversation[];
  /** Puts it in front; what is not given stays as it was. */
  put(id: string, title?: string): void;
  remove(id: string): void;
  subscribe(listener: () => void): () => void;
}

const MOST = 100;
const TITLE_LENGTH = 80;

/** Kept by the browser; where it keeps nothing (full, forbidden), by this page. */
export function savedConversations(deploymentId: string): SavedConversations {
  const key = `parley.chat.${deploymentId}`;
  const listeners = new Set<() => void>();
  let list = parsed(read(key));

  function keep(change: (list: readonly SavedConversation[]) => readonly SavedConversation[]): void {
    const kept = read(key);
    // Another tab may have written since.
    list = change(kept === null ? list : parsed(kept)).slice(0, MOST);
    write(key, JSON.stringify(list));
    tell();
  }
  const tell = () => {
    for (const listener of [...listeners]) listener();
  };
  addEventListener('storage', (event) => {
    if (event.key !== key && event.key !== null) return;
    list = parsed(event.newValue);
    tell();
  });

  return {
    get: () => list,
    put: (id, title) =>
      keep((before) => {
        const known = before.find((one) => one.id === id);
        const named = (title ?? known?.title ?? '').replace(/\s+/g, ' ').trim().slice(0, TITLE_LENGTH);
        const conversation = { id, title: named || 'Conversation', usedAt: new Date().toISOString() };
        return [conversation, ...before.filter((one) => one.id !== id)];
      }),
    remove: (id) => keep((before) => before.filter((one) => one.id !== id)),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

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
    // What cannot be kept is gone with this page, and nothing else.
  }
}

/** Whatever stands there: extensions and people write there too. */
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
