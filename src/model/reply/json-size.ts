import { type JsonLimits, JsonScan } from '../../bounds/json-scan.ts';

const REPLY_JSON: JsonLimits = {
  // Functions that write deeper values would exhaust their stack. Arguments as an object can have 100 levels.
  levels: 128,
  // Parsing more would hold up other requests.
  values: 100_000,
  // V8 needs longer for a new key than for a value.
  keys: 20_000,
  // An inexact number becomes text, or an error that names it.
  exactNumbers: false,
};

/** A shorter text cannot have too much of anything that takes long, and its levels can be written. */
const SHORT = 2_000;

/** Whether a JSON text has too many values or levels to be parsed at once. Its strings can have any length. */
export function isTooComplex(json: string): boolean {
  if (json.length < SHORT) return false;
  const bytes = Buffer.from(json);
  return new JsonScan(bytes, REPLY_JSON).run(bytes.length) !== undefined;
}
