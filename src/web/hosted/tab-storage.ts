let memory: Map<string, string> | undefined;

/** Keeps everything until the page is left, in place of the storage of the tab. */
export function keepInMemory(): void {
  memory = new Map();
}

/** sessionStorage may be blocked (for example in frames of other sites) or full. The page then works without it. */
function attempt<Result>(use: (storage: Storage) => Result, otherwise: Result): Result {
  try {
    return use(sessionStorage);
  } catch {
    return otherwise;
  }
}

export function readStored(key: string): string | null {
  if (memory) return memory.get(key) ?? null;
  return attempt((storage) => storage.getItem(key), null);
}

/** Returns whether it succeeded. */
export function store(key: string, text: string): boolean {
  if (memory) {
    memory.set(key, text);
    return true;
  }
  return attempt((storage) => {
    storage.setItem(key, text);
    return true;
  }, false);
}

export function removeStored(key: string): void {
  memory?.delete(key);
  attempt((storage) => storage.removeItem(key), undefined);
}

export function storedKeys(prefix: string): readonly string[] {
  if (memory) return [...memory.keys()].filter((key) => key.startsWith(prefix));
  return attempt((storage) => Object.keys(storage).filter((key) => key.startsWith(prefix)), []);
}
