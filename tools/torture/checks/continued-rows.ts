import { tagIn } from '../context.ts';
import type { Journal } from '../journal.ts';
import { checkNoRows, IS_OWN, IS_TURN, type Query } from './query.ts';

const FINAL = "('completed', 'interrupted', 'failed', 'expired')";

/** A run whose message waited while its conversation was completed. It cannot start. */
const NEVER_STARTED = 'NOT EXISTS (SELECT 1 FROM timeline_item i WHERE i.run_id = r.id)';

const QUERIES = {
  'a run is lost only after its last attempt, or if a client stopped it': `SELECT r.id, r.status, r.attempts_left
    FROM run r WHERE r.error_code = 'process_lost' AND r.attempts_left > 0 AND NOT r.interrupted AND NOT ${NEVER_STARTED}`,
  'a run fails only with its model or its process': `SELECT id, status, error_code FROM run
    WHERE error_code NOT IN ('process_lost', 'model_error')`,
  'a run becomes final once': `SELECT r.id, count(c.id) FROM run r
    LEFT JOIN torture.owner_change c ON c.run_id = r.id AND c.status IN ${FINAL}
    WHERE r.status IN ${FINAL} GROUP BY 1 HAVING count(c.id) <> 1`,
  'each owner of a run has its own fence': `SELECT run_id, fence FROM torture.owner_change WHERE owner IS NOT NULL
    GROUP BY 1, 2 HAVING count(DISTINCT owner) > 1`,
  'a stored result never changes': "SELECT * FROM torture.forbidden_change WHERE kind = 'result'",
  'a final status never changes': "SELECT * FROM torture.forbidden_change WHERE kind = 'status'",
} as const;

const ONE_RECEIVED_EVENT = `
  SELECT r.id, count(e.id) FROM run r
  LEFT JOIN event e ON e.resource_id = r.id::text AND e.type = 'conversation.message_received'
  WHERE ${IS_OWN} AND NOT (${IS_TURN}) GROUP BY r.environment_id, r.id HAVING count(e.id) <> 1`;

const ONE_FINAL_EVENT = `
  SELECT r.id, r.status, count(e.id) FROM run r
  LEFT JOIN event e ON e.resource_id = r.id::text AND e.type IN ('run.completed', 'run.interrupted', 'run.failed')
  WHERE ${IS_OWN} AND ${IS_TURN} GROUP BY r.environment_id, r.id HAVING count(e.id) <> (CASE WHEN r.status IN ${FINAL} THEN 1 ELSE 0 END)`;

/** Runs that other processes continue: each ends once, and only a client or the last death stops it. */
export async function checkContinued(journal: Journal, send: Query): Promise<void> {
  for (const [name, sql] of Object.entries(QUERIES)) await checkNoRows(journal, send, name, sql);
  await checkNoRows(journal, send, 'a run has one final event', ONE_FINAL_EVENT);
  await checkNoRows(journal, send, 'a message for a person has one event', ONE_RECEIVED_EVENT);
  await checkReplies(journal, send);
  await measureRuns(journal, send);
}

interface EndedRun {
  readonly id: string;
  readonly status: string;
  readonly out_of_attempts: boolean;
  readonly text: string;
  readonly reply: string | null;
}

/** Every stored turn of these clients has its reply, even if its client did not wait. */
async function checkReplies(journal: Journal, send: Query): Promise<void> {
  const runs = await send<EndedRun>(
    `SELECT r.id, r.status::text, r.error_code = 'process_lost' AND r.attempts_left = 0 AS out_of_attempts,
            m.content->0->>'text' AS text, a.content->0->>'text' AS reply
     FROM run r JOIN timeline_item m ON m.run_id = r.id AND m.step = 0 AND m.role = 'user'
     LEFT JOIN timeline_item a ON a.run_id = r.id AND a.step = r.step AND a.role = 'assistant'`,
  );
  const byTag = new Map(runs.map((run) => [tagIn(run.text), run]));
  for (const { tag, reply } of journal.continued) {
    const run = byTag.get(tag);
    // The client disconnected before the service accepted the turn.
    if (!run || run.out_of_attempts) continue;
    const isComplete = run.status === 'completed' && run.reply === reply;
    journal.check('an accepted turn completes without its client', isComplete, () => JSON.stringify(run));
  }
}

async function measureRuns({ measured }: Journal, send: Query): Promise<void> {
  const [counts] = await send<Record<string, string>>(`
    SELECT count(*) AS "turns",
           count(*) FILTER (WHERE background) AS "background turns",
           count(*) FILTER (WHERE error_code = 'process_lost' AND attempts_left = 0) AS "runs that used all attempts",
           count(*) FILTER (WHERE error_code = 'process_lost' AND interrupted) AS "runs that died after a client stopped them",
           (SELECT max(owners) FROM (
             SELECT count(DISTINCT owner) AS owners FROM torture.owner_change GROUP BY run_id) o) AS "most processes of one run"
    FROM run`);
  for (const [name, count] of Object.entries(counts ?? {})) measured.set(name, count);
}
