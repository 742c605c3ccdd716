import { isDeepStrictEqual } from 'node:util';
import type { Journal } from '../journal.ts';
import { type Ask, checkNone } from './rows.ts';

/** Triggers, one-shot runs and resources: what was acknowledged is there, once. */
export async function checkMade(journal: Journal, ask: Ask): Promise<void> {
  await checkTriggers(journal, ask);
  await checkOneShots(journal, ask);
  await checkResources(journal, ask);
}

async function checkTriggers(journal: Journal, ask: Ask): Promise<void> {
  const rows = await ask<{ id: string; conversation_id: string | null; tag: string }>(
    "SELECT id, conversation_id, content->0->>'text' AS tag FROM trigger",
  );
  const stored = new Map(rows.map(({ id, conversation_id }) => [id, conversation_id]));
  for (const [id, conversationId] of journal.triggers) {
    const holds = stored.has(id) && (conversationId === null || stored.get(id) === conversationId);
    journal.check('an acknowledged trigger is stored, and used by its one conversation', holds, () => {
      return `${id}: ${stored.get(id)}, and not ${conversationId}`;
    });
  }
  const texts = new Set(rows.map(({ tag }) => tag));
  journal.check('a trigger that was sent again is made once', texts.size === rows.length, () => {
    return `${rows.length} triggers of ${texts.size} requests`;
  });
  await checkNone(
    journal,
    ask,
    'a trigger that was used shows its line of the log',
    `SELECT t.id FROM trigger t LEFT JOIN workflow_log l ON l.id = t.workflow_log_id
     WHERE t.conversation_id IS NOT NULL AND l.conversation_id IS DISTINCT FROM t.conversation_id`,
  );
}

async function checkOneShots(journal: Journal, ask: Ask): Promise<void> {
  const rows = await ask<{ id: string }>("SELECT id FROM workflow_log WHERE run_id IS NULL AND outcome = 'completed'");
  const stored = new Set(rows.map(({ id }) => Number(id)));
  for (const id of journal.oneShots) {
    journal.check('an acknowledged one-shot run is in the workflow log', stored.has(id), () => String(id));
  }
}

async function checkResources(journal: Journal, ask: Ask): Promise<void> {
  const rows = await ask<{ id: string; fields: Record<string, unknown> }>('SELECT id, fields FROM resource');
  const stored = new Map(rows.map(({ id, fields }) => [id, fields]));
  for (const { id, fields } of journal.resources) {
    const found = stored.get(id) ?? null;
    journal.check('a resource is as the last acknowledged change left it', isDeepStrictEqual(found, fields), () => {
      return `${id}: ${JSON.stringify(found)}, and not ${JSON.stringify(fields)}`;
    });
  }
  const made = await ask<{ tag: string; count: string }>(
    `SELECT payload->'fields'->>'tag' AS tag, count(*) FROM event WHERE type = 'resource.created' GROUP BY 1`,
  );
  const counts = new Map(made.map(({ tag, count }) => [tag, Number(count)]));
  for (const { tag } of journal.resources) {
    journal.check('an acknowledged resource is made once', counts.get(tag) === 1, () => `${tag}: ${counts.get(tag)}`);
  }
  for (const tag of journal.maybeResources) {
    const count = counts.get(tag) ?? 0;
    journal.check('a resource that nobody knows of is made once or not at all', count <= 1, () => `${tag}: ${count}`);
  }
}
