import { useEffect, useState } from 'react';

/** The pauses before each further attempt to load a script. */
const PAUSES_MS = [300, 1_000, 3_000];

/**
 * Loads a script, and tries again if that fails: a phone changes its network, or the service restarts.
 * @throws the last error
 */
export async function retried<Module>(load: () => Promise<Module>): Promise<Module> {
  for (const pause of PAUSES_MS) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return load();
}

/** After all attempts failed, a part of the page that works without its script tries again this often. */
const LATER_MS = 30_000;

/** A script that makes a part of the page better. The part works without it. */
export interface Enhancement<Module> {
  /** Undefined until the script is loaded. Starts to load it. */
  readonly useModule: () => Module | undefined;
}

/** Scripts that a user does not need yet wait until the page has received nothing for this long. */
const QUIET_MS = 800;

let settled: Promise<void> | undefined;

/** Waits until the page is useful, so that later scripts do not slow it down, or until the user starts to use it. */
export function pageSettled(): Promise<void> {
  settled ??= new Promise((resolve) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(settle, QUIET_MS);
    };
    const received = new PerformanceObserver(wait);
    const settle = () => {
      clearTimeout(timer);
      received.disconnect();
      // For measurements: what loads from now on is not needed to use the page.
      performance.mark('page-settled');
      resolve();
    };
    received.observe({ type: 'resource' });
    wait();
    for (const type of ['pointermove', 'pointerdown', 'keydown', 'focusin'])
      window.addEventListener(type, settle, { once: true, passive: true });
  });
  return settled;
}

/**
 * The script is loaded once per page, by the first part that uses it. It never fails: it stays undefined.
 * @param when `later` waits until the page is useful
 */
export function enhancement<Module>(load: () => Promise<Module>, when: 'now' | 'later' = 'later'): Enhancement<Module> {
  let loaded: Module | undefined;
  let isLoading = false;
  const listeners = new Set<() => void>();
  const start = () => {
    if (loaded || isLoading) return;
    isLoading = true;
    const ready = when === 'later' ? pageSettled() : Promise.resolve();
    ready
      .then(() => retried(load))
      .then(
        (module) => {
          loaded = module;
          for (const listener of listeners) listener();
        },
        () => {
          isLoading = false;
          setTimeout(() => listeners.size > 0 && start(), LATER_MS);
        },
      );
  };
  const useModule = () => {
    const [module, setModule] = useState(() => loaded);
    useEffect(() => {
      if (loaded) return setModule(() => loaded);
      const listener = () => setModule(() => loaded);
      listeners.add(listener);
      start();
      return () => void listeners.delete(listener);
    }, []);
    return module;
  };
  return { useModule };
}
