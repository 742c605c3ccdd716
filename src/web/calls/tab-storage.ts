/** sessionStorage may be blocked (for example in frames of other sites) or full. The page then works without it. */
function attempt<Result>(use: (storage: Storage) => Result, otherwise: Result): Result {
  try {
    return use(sessionStorage);
  } catch {
    return otherwise;
  }
}

export function readStored(key: string): string | null {
  return attempt((storage) => storage.getItem(key), null);
}

/** Returns whether it succeeded. */
export function store(key: string, text: string): boolean {
  return attempt((storage) => {
    storage.setItem(key, text);
    return true;
  }, false);
}

export function removeStored(key: string): void {
  attempt((storage) => storage.removeItem(key), undefined);
}

export function storedKeys(prefix: string): readonly string[] {
  return attempt((storage) => Object.keys(storage).filter((key) => key.startsWith(prefix)), []);
}
