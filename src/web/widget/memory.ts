/** What the widget remembers about a deployment in the storage of the site. */
export interface Remembered {
  /** The ID of the open conversation. */
  readonly conversation: string | null;
  /** The number of the newest message that the user has seen. */
  readonly seen: number;
}

export interface Memory {
  get(): Remembered;
  set(value: Remembered): void;
  /** Whether the widget was open on the page before, in this tab. */
  wasOpen(): boolean;
  setOpen(isOpen: boolean): void;
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const NOTHING: Remembered = { conversation: null, seen: 0 };

/**
 * The storage of the site, because browsers delete or forbid the storage of a frame on another site. It has an entry per
 * deployment and trigger, for visitors and for users. Without storage the widget remembers until the page is left.
 */
export function createMemory(deployment: string, trigger: string | undefined, of: 'visitor' | 'user'): Memory {
  const parts = ['parley', deployment.toLowerCase(), ...(trigger ? [trigger] : []), ...(of === 'user' ? [of] : [])];
  const key = parts.join(':');
  let current: Remembered | undefined;
  return {
    get() {
      current ??= parsed(attempt(() => localStorage.getItem(key)));
      return current;
    },
    set(value) {
      current = value;
      attempt(() => {
        if (value.conversation) localStorage.setItem(key, JSON.stringify(value));
        else localStorage.removeItem(key);
      });
    },
    wasOpen: () => attempt(() => sessionStorage.getItem(key)) === 'open',
    setOpen: (isOpen) =>
      void attempt(() => (isOpen ? sessionStorage.setItem(key, 'open') : sessionStorage.removeItem(key))),
  };
}

/** Other scripts of the site can write to its storage. */
function parsed(text: string | null | undefined): Remembered {
  const value = attempt(() => JSON.parse(text ?? 'null') as Partial<Record<keyof Remembered, unknown>> | null);
  const { conversation, seen } = value ?? {};
  if (typeof conversation !== 'string' || !UUID.test(conversation)) return NOTHING;
  return { conversation, seen: typeof seen === 'number' ? seen : 0 };
}

/** Blocked storage throws. */
function attempt<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
