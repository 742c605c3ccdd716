/**
 * A token count in a provider's usage, with a value of any type. Inside of a text its quotes would be escaped, so the
 * model's own words never match.
 */
const TOKEN_COUNT = /(?<!\\)("\w+_tokens"\s*:\s*)("(?:[^"\\]|\\.)*"|null|-?\d[\d.eE+-]*)/g;

/**
 * Makes the token counts in whole lines of a reply numbers. If one is not a number, the adapters lose the whole reply.
 * Lines without a count are not decoded.
 */
export function withFiniteCounts(lines: Buffer): Buffer {
  if (!lines.includes('_tokens"')) return lines;
  const text = lines.toString().replace(TOKEN_COUNT, (_, field: string, value: string) => field + finite(value));
  return Buffer.from(text);
}

function finite(value: string): string {
  const count = value.startsWith('"') ? 0 : Number(value);
  if (Number.isNaN(count)) return '0';
  return Number.isFinite(count) ? String(count) : String(Math.sign(count) * Number.MAX_SAFE_INTEGER);
}
