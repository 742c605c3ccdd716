import { createHash } from 'node:crypto';
import { LIMITS } from '../../contract/limits.ts';

/**
 * The names that the model calls, by the names of an MCP server's tools. Providers accept few characters, so names get a
 * suffix if they would be the same, and if they are too long. The names do not depend on the order of the list, because a
 * server may change it between two turns of a conversation.
 */
export function modelNames(prefix: string, names: readonly string[]): ReadonlyMap<string, string> {
  const listed = [...new Set(names)].sort();
  const counts = new Map<string, number>();
  for (const name of listed) counts.set(cleaned(name), (counts.get(cleaned(name)) ?? 0) + 1);
  const isKept = (name: string) =>
    prefix.length + name.length <= LIMITS.toolNameLength && (cleaned(name) === name || counts.get(cleaned(name)) === 1);
  const byName = new Map(listed.filter(isKept).map((name) => [name, `${prefix}${cleaned(name)}`]));
  const taken = new Set(byName.values());
  for (const name of listed.filter((one) => !isKept(one))) {
    const called = suffixed(`${prefix}${cleaned(name)}`, name, taken);
    taken.add(called);
    byName.set(name, called);
  }
  return byName;
}

const cleaned = (name: string) => name.replace(/[^A-Za-z0-9_-]/g, '_');

const SUFFIX_LENGTH = 6;

/** A server can have a tool whose own name looks like a name with a suffix. */
function suffixed(called: string, name: string, taken: ReadonlySet<string>): string {
  const beginning = called.slice(0, LIMITS.toolNameLength - 1 - SUFFIX_LENGTH);
  for (let salt = ''; ; salt += '\0') {
    const suffix = createHash('sha256').update(`${name}${salt}`).digest('hex').slice(0, SUFFIX_LENGTH);
    if (!taken.has(`${beginning}_${suffix}`)) return `${beginning}_${suffix}`;
  }
}
