/** The places that go around a part of a library to be faster. `docs/decisions.md` has the reason and the gain of each. */
export const BYPASSES = [
  'repeated-queries',
  'posted-queries',
  'columns',
  'node-id',
  'shared-executions',
  'scoped-query',
  'sql',
  'stream-head',
] as const;

export type Bypass = (typeof BYPASSES)[number];

/**
 * The bypasses that `PARLEY_BYPASSES_OFF` names, or `all` of them. It serves `npm run check:bypasses` and comparisons: a
 * bypass changes the speed, never a result, so the variable is no setting for operators. It is read here, because the
 * schema is built when its modules are loaded, before the service has its configuration.
 */
const OFF = new Set((process.env.PARLEY_BYPASSES_OFF ?? '').split(',').filter((name) => name !== ''));

for (const name of OFF) {
  if (![...BYPASSES, 'all'].includes(name)) throw new Error(`PARLEY_BYPASSES_OFF: there is no bypass ${name}.`);
}

export function isBypassOn(bypass: Bypass): boolean {
  return !OFF.has('all') && !OFF.has(bypass);
}
