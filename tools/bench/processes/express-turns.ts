import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';
import type { RecordedTurn } from '../core/pgbench.ts';
import { IDS, TIMESTAMP, UUID } from '../core/recorded-values.ts';

// A hand-written route for a continue. It only executes the recorded statements of the service, with new IDs: it checks
// nothing, and its response is a constant. This is the least CPU time that these statements take on Express with `pg`.

const { one, other, conversationIds } = JSON.parse(
  readFileSync(process.env.RECORDED_TURN ?? '', 'utf8'),
) as RecordedTurn;
const [recorded = ''] = conversationIds;

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10, options: '-c TimeZone=UTC' });

/** The IDs of one turn: a new one for each recorded ID. */
type NewIds = (recordedId: string) => string;

/** Computes the value of a turn from the recorded one. */
function turnValue(
  value: string | null,
  next: string | null,
): (conversationId: string, newId: NewIds) => string | null {
  if (value === null) return () => null;
  if (TIMESTAMP.test(value) && value !== next) return () => new Date().toISOString();
  // The odd parts are IDs. An ID that both turns have belongs to the conversation or to the deployment.
  const parts = value.split(IDS);
  return (conversationId, newId) =>
    parts
      .map((part, index) => {
        if (index % 2 === 0) return part;
        if (part === recorded) return conversationId;
        return next?.includes(part) ? part : newId(part);
      })
      .join('');
}

const statements = one.map(({ text, values }, number) => ({
  name: `turn_${number}`,
  text,
  values: values.map((value, index) => turnValue(value, other[number]?.values[index] ?? null)),
}));

function idLike(id: string): string {
  const uuid = randomUUID();
  return UUID.test(id) ? uuid : `${id.split('_')[0]}_${uuid.replaceAll('-', '').slice(0, 26)}`;
}

async function executeTurn(conversationId: string): Promise<boolean> {
  const ids = new Map<string, string>();
  const newId: NewIds = (id) => {
    const known = ids.get(id) ?? idLike(id);
    ids.set(id, known);
    return known;
  };
  let changed = 0;
  for (const { name, text, values } of statements) {
    const { rowCount } = await pool.query({ name, text, values: values.map((value) => value(conversationId, newId)) });
    changed = rowCount ?? 0;
  }
  return changed > 0;
}

let started = 0;
const app = express().disable('x-powered-by').set('query parser', 'simple').set('etag', false).use(express.json());
app.post('/{*path}', async (request, response) => {
  const { conversation_id: id } = request.body as { readonly conversation_id?: string };
  if (id === undefined) {
    started += 1;
    response.json({ conversation_id: conversationIds[started % conversationIds.length] });
    return;
  }
  const isDone = await executeTurn(id);
  response
    .status(isDone ? 200 : 500)
    .json({ conversation_id: id, run_status: 'completed', content: 'You said: Hello' });
});
const server = app.listen(0, '127.0.0.1', () => {
  console.log(`Baseline runs at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => process.exit(0));
