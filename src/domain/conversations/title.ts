import type { MessageContent } from '../../contract/content.ts';
import { LIMITS } from '../../contract/limits.ts';

/** A conversation's first name (WIRE 6): its first text. */
export function titleOf(content: MessageContent): string {
  const first = content.find((part) => part.type === 'text');
  return foldedTitle(first?.text ?? '') ?? 'New conversation';
}

/** A text as a name: white space folded, cut at a word. Undefined where nothing is left. */
export function foldedTitle(text: string): string | undefined {
  const folded = text.replace(/\s+/g, ' ').trim();
  if (!folded) return undefined;
  if (folded.length <= LIMITS.nameLength) return folded;
  const cut = folded.slice(0, LIMITS.nameLength + 1);
  const lastSpace = cut.lastIndexOf(' ');
  const title = lastSpace > 0 ? cut.slice(0, lastSpace) : cut.slice(0, LIMITS.nameLength);
  // A cut between the halves of a surrogate pair would leave text that cannot be stored.
  return title.replace(/[\uD800-\uDBFF]$/, '');
}
