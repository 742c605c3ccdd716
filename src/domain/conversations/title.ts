import type { MessageContent } from '../../contract/content.ts';
import { LIMITS } from '../../contract/limits.ts';

/** A conversation's first name (WIRE 6): its first text, folded, cut at a word. */
export function titleOf(content: MessageContent): string {
  const first = content.find((part) => part.type === 'text');
  const folded = first?.text.replace(/\s+/g, ' ').trim();
  if (!folded) return 'New conversation';
  if (folded.length <= LIMITS.nameLength) return folded;
  const cut = folded.slice(0, LIMITS.nameLength + 1);
  const lastSpace = cut.lastIndexOf(' ');
  const title = lastSpace > 0 ? cut.slice(0, lastSpace) : cut.slice(0, LIMITS.nameLength);
  // A cut between the halves of a surrogate pair would leave text that cannot be stored.
  return title.replace(/[\uD800-\uDBFF]$/, '');
}
