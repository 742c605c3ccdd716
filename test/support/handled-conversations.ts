import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { hashToken, newSessionToken } from '../../src/domain/access/tokens.ts';
import { textContent } from './agent-apis.ts';
import type { Client, HttpResponse } from './client.ts';
import { until } from './until.ts';

/** Opens a session of a new member of the first workspace, directly in the database. Returns its token. */
export async function openMember(database: pg.Pool | pg.Client, name: string): Promise<string> {
  const [id, token] = [randomUUID(), newSessionToken()];
  await database.query(
    `WITH member AS (
       INSERT INTO user_account (id, email, name, email_verified_at, created_at)
       VALUES ($1, $2, $3, now(), now())
     ), membership AS (
       INSERT INTO membership (workspace_id, user_id, role, created_at, accepts_password)
       SELECT id, $1, 'developer', now(), true FROM workspace ORDER BY created_at LIMIT 1
       RETURNING workspace_id
     )
     INSERT INTO session (id, user_id, workspace_id, token_hash, created_at, expires_at)
     SELECT $4, $1, workspace_id, $5, now(), now() + interval '1 day' FROM membership`,
    [id, `${id}@example.com`, name, randomUUID(), hashToken(token)],
  );
  return token;
}

export type HandlingPath = 'takeover' | 'member-messages' | 'handback';

/** What a member does in a conversation. A key makes it safe to repeat. */
export function act(
  client: Client,
  conversationId: string,
  path: HandlingPath,
  { token, body = {}, key }: { readonly token: string; readonly body?: object; readonly key?: string },
): Promise<HttpResponse> {
  const headers = { authorization: `Bearer ${token}`, ...(key && { 'idempotency-key': key }) };
  return client.send('POST', `/v1/conversations/${conversationId}/${path}`, { headers, body });
}

export const words = (text: string) => ({ content: textContent(text) });

/** Repeats a request until no process holds its key. */
export function repeated(send: () => Promise<HttpResponse>): Promise<HttpResponse> {
  return until(async () => {
    const response = await send();
    return response.body.error?.code !== 'request_in_progress' && response.status !== 503 && response;
  });
}

/** Waits until the conversation has no work left: no turn, no queued message and no owed answer. */
export function settled(database: pg.Pool | pg.Client, conversationId: string): Promise<true> {
  return until(async () => {
    const { rows } = await database.query(
      `SELECT FROM conversation WHERE id = $1 AND owes_answer
       UNION ALL SELECT FROM run WHERE conversation_id = $1 AND status = 'running'
       UNION ALL SELECT FROM queued_turn WHERE conversation_id = $1`,
      [conversationId],
    );
    return rows.length === 0;
  });
}

/** A message of the active line. */
interface StoredMessage {
  /** The role, or `person`. */
  readonly by: 'user' | 'assistant' | 'person';
  readonly text: string;
  readonly status: string;
}

/** The messages of a conversation in order, with the status of their runs. */
export async function messagesOf(database: pg.Pool | pg.Client, conversationId: string): Promise<StoredMessage[]> {
  const { rows } = await database.query<StoredMessage>(
    `SELECT CASE WHEN i.author IS NOT NULL THEN 'person' ELSE i.role::text END AS by, i.content->0->>'text' AS text,
            r.status::text AS status
     FROM timeline_item i JOIN run r ON r.id = i.run_id
     WHERE i.conversation_id = $1 AND i.kind = 'message' AND i.superseded_by IS NULL ORDER BY i.id`,
    [conversationId],
  );
  return rows;
}

/** The messages of a conversation in order, as lines. */
export async function linesOf(database: pg.Pool | pg.Client, conversationId: string): Promise<string[]> {
  return (await messagesOf(database, conversationId)).map(({ by, text }) => `${by}: ${text}`);
}

/** The state of a conversation that decides who answers. */
interface HandlingState {
  readonly handling: string;
  readonly owes: boolean;
  /** The runs that called the model, or are about to. */
  readonly turns: number;
  /** The runs that are not over. */
  readonly active: number;
  /** The changes of its handling, as `mode cause`. */
  readonly changes: readonly string[];
}

export async function handlingOf(database: pg.Pool | pg.Client, conversationId: string): Promise<HandlingState> {
  const { rows } = await database.query<HandlingState>(
    `SELECT c.handling::text AS handling, c.owes_answer AS owes,
            (SELECT count(*)::int FROM run r WHERE r.conversation_id = c.id AND r.handled_by IS NULL) AS turns,
            (SELECT count(*)::int FROM run r WHERE r.conversation_id = c.id
               AND r.status IN ('running', 'waiting_for_client_action')) AS active,
            coalesce((SELECT json_agg((i.handling->>'mode') || ' ' || (i.handling->>'cause') ORDER BY i.id)
               FROM timeline_item i WHERE i.conversation_id = c.id AND i.kind = 'handling'), '[]') AS changes
     FROM conversation c WHERE c.id = $1`,
    [conversationId],
  );
  return rows[0] as HandlingState;
}
