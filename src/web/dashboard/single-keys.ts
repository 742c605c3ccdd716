import { useEffect, useRef } from 'react';
import { localSetting } from './local-setting.ts';

/** Shortcuts of single keys can be turned off, because speech input types letters (WCAG 2.1.4). */
export const SINGLE_KEYS = localSetting('shortcuts', true);

/** Whether the page may use the key: single keys are on, and it belongs to no field, dialog or menu. */
export const isSingleKey = (event: KeyboardEvent) => isPlain(event) && SINGLE_KEYS.get() && !isBusy(event.target);

/** The entry before or after one of a list, for the keys J and K. The first one if it is not in the list. Undefined at the end. */
export function neighbourOf(ids: readonly string[], id: string, step: 1 | -1): string | undefined {
  const index = ids.indexOf(id);
  return index < 0 ? ids[0] : ids[index + step];
}

/** Actions of a page by their key, as long as the page is shown. */
export function useKeys(actions: Readonly<Record<string, () => void>>): void {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!Object.hasOwn(latest.current, event.key) || !isSingleKey(event)) return;
      event.preventDefault();
      latest.current[event.key]?.();
    };
    // After the listener of the document, which takes the second key of a sequence.
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

const isPlain = ({ ctrlKey, metaKey, altKey, isComposing, defaultPrevented }: KeyboardEvent) =>
  !(ctrlKey || metaKey || altKey || isComposing || defaultPrevented);

const BUSY =
  'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true], [role=combobox], [role=listbox], [role=menu], [role=dialog], [role=alertdialog]';

/** Whether the key belongs to a field, a dialog or a menu. */
const isBusy = (target: EventTarget | null) => target instanceof Element && target.closest(BUSY) !== null;
