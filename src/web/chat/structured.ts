import type { ContentPart } from '../../sdk/index.ts';

/** A reply that is an object, as deployments with an output schema give, laid out for people; any other part as it is. */
export function readable(part: ContentPart): ContentPart {
  const value = part.type === 'text' && part.text.trimStart().startsWith('{') ? parsed(part.text) : undefined;
  if (value === undefined) return part;
  const json = JSON.stringify(value, null, 2);
  // A fence that nothing in it can close.
  const longest = Math.max(2, ...[...json.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return { type: 'text', text: `${fence}json\n${json}\n${fence}` };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
