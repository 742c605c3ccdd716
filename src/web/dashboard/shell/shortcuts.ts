import { useEffect, useRef } from 'react';
import { isSingleKey } from '../single-keys.ts';
import { GROUPS } from './pages.ts';

/** The pages by the key that opens them after G. */
const PATHS: ReadonlyMap<string, string> = new Map(
  GROUPS.flatMap(({ pages }) => pages.flatMap(({ key, path }) => (key ? [[key, path] as const] : []))),
);

/** The second key must follow G within this time. */
const SEQUENCE_MS = 1_500;

interface Handlers {
  readonly onPalette: () => void;
  readonly onHelp: () => void;
  readonly onGo: (path: string) => void;
}

/** Ctrl K or ⌘ K opens the palette everywhere. Single keys work outside of fields, dialogs and menus. */
export function useShortcuts(handlers: Handlers): void {
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => {
    const sequence = new Sequence();
    const onKey = (event: KeyboardEvent) => {
      const run = actionOf(event, sequence, latest.current);
      if (!run) return;
      event.preventDefault();
      run();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** Two keys after each other: G and the key of a page. */
class Sequence {
  #startedAt = Number.NEGATIVE_INFINITY;

  /** The page, if this key completes the sequence. */
  pathOf({ key, timeStamp }: KeyboardEvent): string | undefined {
    const follows = timeStamp - this.#startedAt < SEQUENCE_MS;
    this.#startedAt = key === 'g' && !follows ? timeStamp : Number.NEGATIVE_INFINITY;
    return follows ? PATHS.get(key) : undefined;
  }
}

function actionOf(
  event: KeyboardEvent,
  sequence: Sequence,
  { onPalette, onHelp, onGo }: Handlers,
): (() => void) | undefined {
  if (isPaletteKey(event)) return onPalette;
  if (!isSingleKey(event)) return undefined;
  const path = sequence.pathOf(event);
  if (path) return () => onGo(path);
  if (event.key === '?') return onHelp;
  return event.key === '/' ? onPalette : undefined;
}

const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent) =>
  key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey && !shiftKey;
