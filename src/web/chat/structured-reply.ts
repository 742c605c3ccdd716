import type { ContentPart } from '../../sdk/index.ts';

/** Formats a reply that is a JSON object, from a deployment with an output schema. Returns any other part unchanged. */
export function formatted(part: ContentPart): ContentPart {
  const value = part.type === 'text' && part.text.trimStart().startsWith('{') ? parsed(part.text) : undefined;
  if (value === undefined) return part;
  const json = JSON.stringify(value, null, 2);
  // The fence is longer than any sequence of backticks in the JSON.
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
