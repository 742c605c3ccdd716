import type { MessageContent } from '../../contract/content.ts';
import { LIMITS } from '../../contract/limits.ts';

/** The initial name of a conversation (WIRE 6): its first text. */
export function titleOf(content: MessageContent): string {
  const first = content.find((part) => part.type === 'text');
  return foldedTitle(first?.text ?? '') ?? 'New conversation';
}

/** Converts a text to a name: folds white space and cuts at a word. Returns undefined if nothing is left. */
export function foldedTitle(text: string): string | undefined {
  const folded = text.replace(/\s+/g, ' ').trim();
  if (!folded) return undefined;
  if (folded.length <= LIMITS.nameLength) return folded;
  const cut = folded.slice(0, LIMITS.nameLength + 1);
  const lastSpace = cut.lastIndexOf(' ');
  const title = lastSpace > 0 ? cut.slice(0, lastSpace) : cut.slice(0, LIMITS.nameLength);
  // A lone half of a surrogate pair cannot be stored.
  return title.replace(/[\uD800-\uDBFF]$/, '');
}
