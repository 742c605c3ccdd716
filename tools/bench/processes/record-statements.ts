import { appendFileSync } from 'node:fs';
import pg from 'pg';
// @ts-expect-error pg has no types for how it writes values.
import { prepareValue } from 'pg/lib/utils.js';

// Loaded into the service before its start (`node --import`). Records the statements to PostgreSQL with their encoded
// values as lines of JSON.

const file = process.env.RECORD_STATEMENTS ?? '';
const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;

pg.Client.prototype.query = function record(this: pg.Client, ...args: unknown[]) {
  const [requests, input] = args;
  const { text, values } =
    typeof requests === 'string' ? { text: requests, values: input } : (requests as pg.QueryConfig);
  const sent = Array.isArray(values) ? values.map((value) => prepareValue(value)) : [];
  appendFileSync(file, `${JSON.stringify({ text, values: sent })}\n`);
  return query.apply(this, args);
} as never;
