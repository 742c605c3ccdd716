import { dirname } from 'node:path';
import { instrument, type TracedFunction } from './walk/instrument.ts';

// `npm run walk`: sends a v2 turn and prints the path of its content: the named functions of `src`, from the parsed body
// to the call of the model, that have the list of parts in a parameter, as itself or in an object. TEST_DATABASE_URL selects
// the database. Needs Node 22.15.

/** Longer than a title, which is a copy of the beginning. */
const TEXT = 'A text that no other value has. '.repeat(9);

/** How many values of an object are searched. */
const MOST_VALUES = 1_000;

interface Visit extends TracedFunction {
  readonly names: Set<string>;
}

const visits = new Map<string, Visit>();
let isWalking = false;

instrument(new URL('../src/', import.meta.url), ({ file, name }, parameters) => {
  if (!isWalking) return;
  if (file.startsWith('model/') && holdsContent(parameters)) isWalking = false;
  if (!isWalking) return;
  for (const [parameter, value] of Object.entries(parameters)) {
    if (!holdsContent(value)) continue;
    const key = `${file} ${name}`;
    const visit = visits.get(key) ?? { file, name, names: new Set() };
    visits.set(key, visit);
    visit.names.add(parameter);
  }
});

/** Instances of classes do not count: a context or a connection can reach everything. */
function holdsContent(value: unknown): boolean {
  const found = new Set([value]);
  for (const one of found) {
    if (Array.isArray(one) && one.some((part) => part?.text === TEXT)) return true;
    if (found.size > MOST_VALUES || typeof one !== 'object' || one === null) continue;
    const prototype: unknown = Object.getPrototypeOf(one);
    if (prototype !== null && prototype !== Object.prototype && !Array.isArray(one)) continue;
    for (const inner of Object.values(one)) found.add(inner);
  }
  return false;
}

const { prepareTemplate } = await import('../test/support/database.ts');
await prepareTemplate();
const { DEMO_AGENT_ID, startService } = await import('../test/support/service.ts');
const service = await startService();
isWalking = true;
const response = await fetch(`${service.url}/v2/runner/${DEMO_AGENT_ID}/conversation`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': service.keys.live },
  body: JSON.stringify({ content: [{ type: 'text', text: TEXT }] }),
});
if (!response.ok || isWalking) throw new Error(`The turn failed with ${response.status}: ${await response.text()}`);
await service.close();

const all = [...visits.values()];
const folders = new Set(all.map(({ file }) => dirname(file)));
const names = new Set(all.flatMap((visit) => [...visit.names]));
for (const { file, name, names: parameters } of all) console.log(`${file} ${name} (${[...parameters].join(', ')})`);
console.log(`${all.length} functions in ${folders.size} folders, ${names.size} names: ${[...names].sort().join(', ')}`);
