import type pg from 'pg';
import type { Writers } from './writers.ts';

/** Compares what the service acknowledged with what the database has. Returns each difference. */
export async function differences(pool: pg.Pool, { turns, resources }: Pick<Writers, 'turns' | 'resources'>) {
  const [messages, notes] = [await messagesOf(pool), await notesOf(pool)];
  const found: string[] = [];
  for (const { id, marker } of turns) {
    const runs = messages.filter((message) => message.text.includes(marker));
    if (!runs.some((one) => one.run_id === id && one.status === 'completed' && one.replies === 1))
      found.push(`turn ${id}: ${runs.map((one) => `${one.run_id} ${one.status} ${one.replies} replies`)}`);
    if (runs.filter(({ status }) => status === 'completed').length > 1) found.push(`turn ${id} ran twice`);
  }
  for (const { id, marker } of resources) {
    const ids = notes.filter((note) => note.marker === marker).map((note) => note.id);
    if (ids.length !== 1 || ids[0] !== id) found.push(`resource ${id}: ${ids.length === 0 ? 'missing' : ids}`);
  }
  return found;
}

interface Message {
  readonly run_id: string;
  readonly text: string;
  readonly status: string;
  readonly replies: number;
}

async function messagesOf(pool: pg.Pool): Promise<Message[]> {
  const { rows } = await pool.query<Message>(`
    SELECT item.run_id, item.content::text AS text, run.status,
           (SELECT count(*)::int FROM timeline_item reply WHERE reply.run_id = run.id AND reply.role = 'assistant') AS replies
    FROM timeline_item item JOIN run ON run.id = item.run_id WHERE item.role = 'user'`);
  return rows;
}

async function notesOf(pool: pg.Pool): Promise<{ id: string; marker: string }[]> {
  const { rows } = await pool.query<{ id: string; marker: string }>(
    `SELECT id, fields ->> 'marker' AS marker FROM resource WHERE type = 'note'`,
  );
  return rows;
}

/** The resources and the events of all changes, in the order of the log. */
export async function changesInOrder(pool: pg.Pool): Promise<{ resourceIds: string[]; eventIds: string[] }> {
  const { rows } = await pool.query<{ id: string; resource_id: string }>(
    `SELECT event.id, resource_id FROM event JOIN resource ON resource.id = resource_id WHERE resource.type = 'note'
     ORDER BY event.xid, event.id`,
  );
  return { resourceIds: rows.map((row) => row.resource_id), eventIds: rows.map(({ id }) => id) };
}

/** The number of runs that no process has settled. */
export async function openRuns(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM run WHERE status = 'running'`,
  );
  return rows[0]?.count ?? 0;
}
