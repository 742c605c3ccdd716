import { isDeepStrictEqual } from 'node:util';
import type { Journal } from '../journal.ts';
import { checkNoRows, type Query } from './query.ts';

/** Triggers, one-shot runs and resources: an acknowledged one is stored once. */
export async function checkCreated(journal: Journal, send: Query): Promise<void> {
  await checkTriggers(journal, send);
  await checkOneShots(journal, send);
  await checkResources(journal, send);
}

async function checkTriggers(journal: Journal, send: Query): Promise<void> {
  const rows = await send<{ id: string; conversation_id: string | null; tag: string }>(
    "SELECT id, conversation_id, content->0->>'text' AS tag FROM trigger",
  );
  const stored = new Map(rows.map(({ id, conversation_id }) => [id, conversation_id]));
  for (const [id, conversationId] of journal.triggers) {
    const holds = stored.has(id) && (conversationId === null || stored.get(id) === conversationId);
    journal.check('an acknowledged trigger is stored and used by one conversation', holds, () => {
      return `${id}: ${stored.get(id)}instead of ${conversationId}`;
    });
  }
  const texts = new Set(rows.map(({ tag }) => tag));
  journal.check('a retried trigger creation creates one trigger', texts.size === rows.length, () => {
    return `${rows.length} triggers of ${texts.size} requests`;
  });
  await checkNoRows(
    journal,
    send,
    'a used trigger is linked to its log entry',
    `SELECT t.id FROM trigger t LEFT JOIN workflow_log l ON l.id = t.workflow_log_id
     WHERE t.conversation_id IS NOT NULL AND l.conversation_id IS DISTINCT FROM t.conversation_id`,
  );
}

async function checkOneShots(journal: Journal, send: Query): Promise<void> {
  const rows = await send<{ id: string }>("SELECT id FROM workflow_log WHERE run_id IS NULL AND outcome = 'completed'");
  const stored = new Set(rows.map(({ id }) => Number(id)));
  for (const id of journal.oneShots) {
    journal.check('an acknowledged one-shot run is in the workflow log', stored.has(id), () => String(id));
  }
}

async function checkResources(journal: Journal, send: Query): Promise<void> {
  const rows = await send<{ id: string; fields: Record<string, unknown> }>('SELECT id, fields FROM resource');
  const stored = new Map(rows.map(({ id, fields }) => [id, fields]));
  for (const { id, fields } of journal.resources) {
    const match = stored.get(id) ?? null;
    journal.check('a resource equals its last acknowledged change', isDeepStrictEqual(match, fields), () => {
      return `${id}: ${JSON.stringify(match)}instead of ${JSON.stringify(fields)}`;
    });
  }
  const created = await send<{ tag: string; count: string }>(
    `SELECT payload->'fields'->>'tag' AS tag, count(*) FROM event WHERE type = 'resource.created' GROUP BY 1`,
  );
  const counts = new Map(created.map(({ tag, count }) => [tag, Number(count)]));
  for (const { tag } of journal.resources) {
    journal.check(
      'an acknowledged resource is created once',
      counts.get(tag) === 1,
      () => `${tag}: ${counts.get(tag)}`,
    );
  }
  for (const tag of journal.uncertainResources) {
    const count = counts.get(tag) ?? 0;
    journal.check('an unacknowledged resource is created at most once', count <= 1, () => `${tag}: ${count}`);
  }
}
