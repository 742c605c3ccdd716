import type { Journal } from '../journal.ts';
import type { Recovery } from '../plan.ts';
import { checkNoRows, IS_OF_TURN, IS_OWN, IS_TURN, type Query } from './query.ts';

const ENDED = "('completed', 'interrupted', 'failed')";

/** Runs: each is settled once, by one owner at a time. */
export async function checkRuns(journal: Journal, send: Query, recovery: Recovery): Promise<void> {
  const queries = { ...QUERIES, ...FENCES[recovery] };
  for (const [name, sql] of Object.entries(queries)) await checkNoRows(journal, send, name, sql);
}

const RESUMES = `(SELECT count(DISTINCT i.step) FROM timeline_item i
      WHERE i.run_id = r.id AND i.kind = 'client_tool' AND i.output IS NOT NULL)`;

/** A run that another process continues also gets a new owner after a death. Background turns are always continued. */
const FENCES = {
  settle: {
    'each resume gives a run a new owner': `SELECT r.id, r.fence FROM run r
      WHERE r.fence < 1 + ${RESUMES} OR (NOT r.background AND r.fence <> 1 + ${RESUMES})`,
  },
  continue: {
    'each resume gives a run a new owner': `SELECT r.id, r.fence FROM run r WHERE r.fence < 1 + ${RESUMES}`,
  },
} as const;

/** A turn that ran again: its message belongs to the next run. */
const IS_REPLACED = `NOT EXISTS (
      SELECT FROM timeline_item i WHERE i.run_id = r.id AND i.superseded_by IS NULL AND i.kind <> 'summary' AND ${IS_OF_TURN})`;

const QUERIES = {
  'every run has ended': "SELECT id, status, lease_expires_at FROM run WHERE status IN ('running', 'expired')",
  'no message is queued': 'SELECT run_id, conversation_id FROM queued_turn',
  'a run is settled once': `SELECT r.id, r.status, count(l.id) AS lines FROM run r
    LEFT JOIN workflow_log l ON l.run_id = r.id AND l.outcome IN ${ENDED}
    WHERE ${IS_OWN} AND ${IS_TURN} GROUP BY r.environment_id, r.id HAVING count(l.id) <> (CASE WHEN r.status IN ${ENDED} THEN 1 ELSE 0 END)`,
  'a run is logged with its final status': `SELECT DISTINCT ON (r.id) r.id, r.status, l.outcome FROM run r
    JOIN workflow_log l ON l.run_id = r.id AND l.outcome::text <> r.status::text
    WHERE NOT EXISTS (SELECT 1 FROM workflow_log o WHERE o.run_id = r.id AND o.id > l.id)`,
  'no step of a run is logged twice as a pause': `SELECT run_id, step FROM workflow_log
    WHERE outcome = 'waiting_for_client_action' GROUP BY 1, 2 HAVING count(*) > 1`,
  'a conversation has the usage of its log': `SELECT c.id, c.turns, c.failures, c.input_tokens FROM conversation c,
    LATERAL (SELECT count(*) AS turns, count(*) FILTER (WHERE outcome = 'failed') AS failures,
                    coalesce(sum(input_tokens), 0) AS input_tokens, coalesce(sum(output_tokens), 0) AS output_tokens,
                    coalesce(sum(cached_input_tokens), 0) AS cached, coalesce(sum(cache_write_tokens), 0) AS written,
                    max(response_time_ms) AS response_time_ms
             FROM workflow_log WHERE conversation_id = c.id) l
    WHERE (c.turns, c.failures, c.input_tokens, c.output_tokens, c.cached_input_tokens, c.cache_write_tokens)
        <> (l.turns, l.failures, l.input_tokens, l.output_tokens, l.cached, l.written)
      OR c.response_time_ms IS DISTINCT FROM l.response_time_ms`,
  'a lost run is failed before its first results, and interrupted after': `SELECT id, status FROM run
    WHERE error_code = 'process_lost' AND (status = 'interrupted') <> results_accepted`,
  'a run starts with one message': `SELECT r.id, c.status FROM run r JOIN conversation c ON c.id = r.conversation_id
    WHERE (SELECT count(*) FROM timeline_item i WHERE i.run_id = r.id AND i.step = 0 AND i.role = 'user') <> 1
      AND NOT (${IS_REPLACED})
      AND NOT (c.status = 'completed' AND r.error_code = 'process_lost')`,
  'a run has at most one reply': `SELECT run_id, step FROM timeline_item i WHERE role = 'assistant' AND ${IS_OF_TURN}
    GROUP BY 1, 2 HAVING count(*) > 1`,
  'a completed run has its reply': `SELECT r.id FROM run r WHERE r.status = 'completed' AND ${IS_OWN} AND ${IS_TURN}
    AND NOT EXISTS (SELECT 1 FROM timeline_item i WHERE i.run_id = r.id AND i.role = 'assistant' AND i.step = r.step)`,
  'a conversation refers to its latest run': `SELECT c.id FROM conversation c
    WHERE c.latest_run_id IS NULL OR EXISTS (SELECT 1 FROM run r WHERE r.conversation_id = c.id
      AND r.status = 'waiting_for_client_action' AND r.id <> c.latest_run_id)`,
  'a message for a person starts no turn': `SELECT r.id, r.status, r.lease_owner FROM run r WHERE NOT (${IS_TURN}) AND (
      r.status <> 'completed' OR r.lease_owner IS NOT NULL OR EXISTS (SELECT FROM workflow_log l WHERE l.run_id = r.id)
      OR EXISTS (SELECT FROM timeline_item i WHERE i.run_id = r.id AND i.role IS DISTINCT FROM 'user' AND ${IS_OF_TURN}))`,
  'no conversation owes an answer': `SELECT c.id FROM conversation c WHERE c.owes_answer AND NOT EXISTS (
      SELECT FROM run r WHERE r.conversation_id = c.id AND r.status = 'waiting_for_client_action')`,
  'only a request of its turn completes a conversation': `SELECT c.id, c.status FROM conversation c
    WHERE (c.status = 'completed') <> (EXISTS (SELECT 1 FROM timeline_item i
      WHERE i.conversation_id = c.id AND i.kind = 'conversation_completed'))`,
} as const;
