/** What the browser reads aloud. A page reads one text at a time. */
interface Reading {
  readonly reader: string;
  readonly utterance: SpeechSynthesisUtterance;
}

let current: Reading | undefined;
const listeners = new Set<() => void>();

export const canRead = () => 'speechSynthesis' in window;

export const isReading = (reader: string) => current?.reader === reader;

export function subscribeToReading(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Reads a text in place of the current one, in the language of the page. `reader` is the ID of the button. */
export function read(reader: string, text: string): void {
  const utterance = new SpeechSynthesisUtterance(text);
  utterance.lang = document.documentElement.lang;
  const finish = () => current?.utterance === utterance && change(undefined);
  utterance.addEventListener('end', finish);
  // The browser has no voice, or another page reads.
  utterance.addEventListener('error', finish);
  // Otherwise the browser continues after the user has left the page.
  addEventListener('pagehide', () => stopReading(reader), { once: true });
  speechSynthesis.cancel();
  change({ reader, utterance });
  speechSynthesis.speak(utterance);
}

/** Stops the text of a button. */
export function stopReading(reader: string): void {
  if (!isReading(reader)) return;
  change(undefined);
  speechSynthesis.cancel();
}

function change(next: Reading | undefined): void {
  current = next;
  for (const listener of listeners) listener();
}
