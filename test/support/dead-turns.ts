/** Sends a statement with parameters. */
type Send = (text: string, values: readonly unknown[]) => Promise<unknown>;

export interface DeadTurns {
  /** A conversation whose deployment, variables and run the turns copy. */
  readonly conversationId: string;
  readonly count: number;
  /** How long the lease of the dead process still lasts. Negative: its owner is known to be dead. */
  readonly leaseSeconds: number;
}

/** The message of the turn with this number. */
export function deadTurnText(number: number): string {
  return `Go on #${number}#`;
}

/**
 * Stores running turns with one message each, as a process leaves them that dies while the model writes. They have three
 * attempts in all, and the name of a conversation is the number of its turn, from 1.
 */
export async function insertDeadTurns(send: Send, { conversationId, count, leaseSeconds }: DeadTurns): Promise<void> {
  const [before = '', after = ''] = deadTurnText(0).split('0');
  await send(
    `WITH source AS (
       SELECT c.*, r.workflow_version AS own_version, r.model FROM conversation c JOIN run r ON r.id = c.latest_run_id
       WHERE c.id = $1::uuid
     ), new AS (
       INSERT INTO conversation (id, environment_id, deployment_id, name, variables, meta, meta_labels, message_count,
                                 latest_run_id, created_at, updated_at)
       SELECT gen_random_uuid(), environment_id, deployment_id, number::text, variables, meta, meta_labels, 1,
              gen_random_uuid(), now(), now()
       FROM source, generate_series(1, $2::int) AS number RETURNING id, environment_id, latest_run_id, name
     ), running AS (
       INSERT INTO run (id, environment_id, conversation_id, workflow_version, agent, status, model, lease_owner,
                        lease_expires_at, attempts_left, background, tools, history_limit, request_id, accepted_at,
                        created_at, updated_at)
       SELECT new.latest_run_id, new.environment_id, new.id, source.own_version, true, 'running', source.model,
              '00000000-0000-4000-8000-00000000dead',
              CASE WHEN $3::float8 < 0 THEN to_timestamp(0) ELSE now() + make_interval(secs => $3::float8) END,
              2, false, '[]', 5, 'dead', now(), now(), now()
       FROM new, source RETURNING id
     )
     INSERT INTO timeline_item (environment_id, conversation_id, run_id, step, kind, role, content, revision, created_at)
     SELECT environment_id, id, latest_run_id, 0, 'message', 'user',
            jsonb_build_array(jsonb_build_object('type', 'text', 'text', $4::text || name || $5::text)),
            nextval('timeline_revision'), now()
     FROM new`,
    [conversationId, count, leaseSeconds, before, after],
  );
}
