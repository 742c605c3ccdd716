/**
 * What this tab keeps over a reload. Browsers may refuse it, to frames of other sites for example, and it may be full:
 * then nothing is kept, and the page works without.
 */
function attempt<Answer>(use: (storage: Storage) => Answer, otherwise: Answer): Answer {
  try {
    return use(sessionStorage);
  } catch {
    return otherwise;
  }
}

export function readKept(key: string): string | null {
  return attempt((storage) => storage.getItem(key), null);
}

/** Answers whether it is kept. */
export function keep(key: string, text: string): boolean {
  return attempt((storage) => {
    storage.setItem(key, text);
    return true;
  }, false);
}

export function dropKept(key: string): void {
  attempt((storage) => storage.removeItem(key), undefined);
}

export function keptKeys(prefix: string): readonly string[] {
  return attempt((storage) => Object.keys(storage).filter((key) => key.startsWith(prefix)), []);
}
