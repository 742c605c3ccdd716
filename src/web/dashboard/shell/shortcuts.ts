import { useEffect, useRef, useSyncExternalStore } from 'react';
import { GROUPS } from './pages.ts';

/** The pages by the key that opens them after G. */
const PATHS: ReadonlyMap<string, string> = new Map(
  GROUPS.flatMap(({ pages }) => pages.flatMap(({ key, path }) => (key ? [[key, path] as const] : []))),
);

/** The second key must follow G within this time. */
const SEQUENCE_MS = 1_500;

const STORED = 'parley.shortcuts';
const listeners = new Set<() => void>();

/** Shortcuts of single keys can be turned off, because speech input types letters (WCAG 2.1.4). */
export function useShortcutSetting(): readonly [boolean, (on: boolean) => void] {
  const isOn = useSyncExternalStore(subscribe, areShortcutsOn);
  return [isOn, setShortcuts];
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const areShortcutsOn = () => localStorage.getItem(STORED) !== 'off';

function setShortcuts(on: boolean): void {
  if (on) localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, 'off');
  for (const listener of listeners) listener();
}

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
  if (!isPlain(event) || !areShortcutsOn() || isBusy(event.target)) return undefined;
  const path = sequence.pathOf(event);
  if (path) return () => onGo(path);
  if (event.key === '?') return onHelp;
  return event.key === '/' ? onPalette : undefined;
}

const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent) =>
  key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey && !shiftKey;

const isPlain = ({ ctrlKey, metaKey, altKey, isComposing, defaultPrevented }: KeyboardEvent) =>
  !(ctrlKey || metaKey || altKey || isComposing || defaultPrevented);

const BUSY =
  'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true], [role=combobox], [role=listbox], [role=menu], [role=dialog], [role=alertdialog]';

/** Whether the key belongs to a field, a dialog or a menu. */
const isBusy = (target: EventTarget | null) => target instanceof Element && target.closest(BUSY) !== null;
