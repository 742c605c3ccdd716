/** Texts that wait until the script of toasts is loaded. */
let waiting: string[] = [];
let show = (text: string): void => void waiting.push(text);

/** Confirms in the corner of the page what an action did. It disappears after a few seconds, so it never asks or warns. */
export const notify = (text: string): void => show(text);

/** Called by the script of toasts when it is loaded. */
export function showToastsWith(add: (text: string) => void): void {
  show = add;
  for (const text of waiting) add(text);
  waiting = [];
}
