import { appendFileSync } from 'node:fs';
import pg from 'pg';
// @ts-expect-error pg has no types for how it writes values.
import { prepareValue } from 'pg/lib/utils.js';

// Loaded into the service before it starts (`node --import`): writes down what is sent to PostgreSQL, with its values as they are
// sent, in lines of JSON.

const file = process.env.RECORD_STATEMENTS ?? '';
const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;

pg.Client.prototype.query = function record(this: pg.Client, ...args: unknown[]) {
  const [asked, given] = args;
  const { text, values } = typeof asked === 'string' ? { text: asked, values: given } : (asked as pg.QueryConfig);
  const sent = Array.isArray(values) ? values.map((value) => prepareValue(value)) : [];
  appendFileSync(file, `${JSON.stringify({ text, values: sent })}\n`);
  return query.apply(this, args);
} as never;
