// `npm run scale`: prints the tables of docs/scale.md, with own assumptions: `npm run scale -- --secondsPerTurn=60`.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ASSUMPTIONS, type Assumptions } from './scale-model.ts';
import { scaleTables } from './scale-tables.ts';

const names = Object.keys(ASSUMPTIONS) as (keyof Assumptions)[];
const { values } = parseArgs({ options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])) });

const own = Object.entries(values).map(([name, text]) => {
  const value = Number(text);
  if (!(value >= 0)) throw new Error(`--${name} must be a number. You sent ${text}.`);
  return [name, value];
});

console.log(scaleTables(join(import.meta.dirname, '..'), { ...ASSUMPTIONS, ...Object.fromEntries(own) }));
