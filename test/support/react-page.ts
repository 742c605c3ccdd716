import { Window } from 'happy-dom';

const GLOBALS = ['window', 'document', 'navigator', 'localStorage'] as const;

/** A page for React in the process of the test. */
export interface ReactPage {
  readonly createRoot: typeof import('react-dom/client').createRoot;
  readonly flushSync: typeof import('react-dom').flushSync;
  /** Restores the globals. Unmount every root before. */
  close(): Promise<void>;
}

export async function openReactPage(): Promise<ReactPage> {
  const before = GLOBALS.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  const window = new Window();
  const { document, navigator, localStorage } = window;
  // Newer versions of Node define a read-only navigator.
  for (const [name, value] of Object.entries({ window, document, navigator, localStorage })) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  // React reads the document when it is loaded.
  const { createRoot } = await import('react-dom/client');
  const { flushSync } = await import('react-dom');
  return {
    createRoot,
    flushSync,
    async close() {
      // React's scheduler may still have work for the last unmounted root.
      await new Promise((resolve) => setTimeout(resolve, 50));
      for (const [name, descriptor] of before) {
        if (descriptor) Object.defineProperty(globalThis, name, descriptor);
        else Reflect.deleteProperty(globalThis, name);
      }
    },
  };
}
