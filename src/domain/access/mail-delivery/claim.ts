import { randomUUID } from 'node:crypto';
import type { Sql } from '../../../db/sql.ts';
import { leaseEnd } from '../../leases/lease-sql.ts';
import type { MailKind } from '../mail/mail-kinds.ts';

/** A mail that this process claimed. It makes the next attempt. */
export interface ClaimedMail {
  readonly id: string;
  /** The lease owner. Each claim has a new one, so a process that lost its claim cannot write. */
  readonly lease: string;
  readonly kind: MailKind;
  readonly urgent: boolean;
  readonly workspaceId: string | null;
  readonly turnKey: string;
  readonly sealedContent: Uint8Array;
  /** False: the invitation was used, replaced or revoked, or the link for a new password. */
  readonly isLinkOpen: boolean;
  /** The failed attempts. */
  readonly attempts: number;
}

/** How many attempts can start. */
export interface MailCapacity {
  readonly urgent: number;
  readonly ordinary: number;
}

interface Row {
  id: string;
  kind: MailKind;
  urgent: boolean;
  workspace_id: string | null;
  turn_key: string;
  sealed_content: Uint8Array;
  is_link_open: boolean;
  attempts: number;
}

/**
 * Claims due mails for the longest time that an attempt can take. If this process dies, another process can claim them after
 * that time.
 *
 * Urgent mails have their own capacity, so a slow mail server does not delay them after others. Among the rest, workspaces
 * take turns: first those without a mail that is being sent, and of these the one that this process served longest ago.
 * `served` has their keys, the latest last.
 */
export async function claimMails(
  sql: Sql,
  { capacity, leaseMs, served }: { capacity: MailCapacity; leaseMs: number; served: readonly string[] },
): Promise<ClaimedMail[]> {
  const lease = randomUUID();
  const rows = await sql.rows<Row>`
    WITH waiting AS (
      SELECT id, urgent, turn_key, next_attempt_at, coalesce(lease_expires_at >= now(), false) AS is_leased
      FROM outgoing_mail WHERE expires_at > now()
    ), busy AS (
      SELECT urgent, turn_key, count(*) AS mails FROM waiting WHERE is_leased GROUP BY urgent, turn_key
    ), in_turns AS (
      SELECT w.id, w.urgent, w.next_attempt_at, s.place,
             coalesce(busy.mails, 0)
               + row_number() OVER (PARTITION BY w.urgent, w.turn_key ORDER BY w.next_attempt_at, w.id) AS turn
      FROM waiting w
      LEFT JOIN busy USING (urgent, turn_key)
      LEFT JOIN unnest(${[...served]}::text[]) WITH ORDINALITY AS s (turn_key, place) USING (turn_key)
      WHERE NOT w.is_leased AND w.next_attempt_at <= now()
    ), ready AS (
      (SELECT id FROM in_turns WHERE urgent
       ORDER BY turn, place NULLS FIRST, next_attempt_at, id LIMIT ${capacity.urgent})
      UNION ALL
      (SELECT id FROM in_turns WHERE NOT urgent
       ORDER BY turn, place NULLS FIRST, next_attempt_at, id LIMIT ${capacity.ordinary})
    ), free AS (
      SELECT m.id FROM outgoing_mail m JOIN ready USING (id)
      WHERE m.next_attempt_at <= now() AND (m.lease_expires_at IS NULL OR m.lease_expires_at < now())
      FOR NO KEY UPDATE OF m SKIP LOCKED
    )
    UPDATE outgoing_mail m SET lease_owner = ${lease}::uuid, lease_expires_at = ${leaseEnd(leaseMs)}
    FROM free WHERE m.id = free.id
    RETURNING m.id, m.kind, m.urgent, m.workspace_id, m.turn_key, m.sealed_content, m.attempts,
              (m.link_id IS NULL
               OR EXISTS (SELECT FROM invitation i WHERE i.id = m.link_id AND i.expires_at > now())
               OR EXISTS (SELECT FROM password_reset r WHERE r.token_hash = m.link_id AND r.expires_at > now()))
                AS is_link_open`;
  return rows.map((row) => claimedMail(row, lease));
}

function claimedMail(row: Row, lease: string): ClaimedMail {
  const { id, kind, urgent, attempts } = row;
  return {
    id,
    lease,
    kind,
    urgent,
    workspaceId: row.workspace_id,
    turnKey: row.turn_key,
    sealedContent: row.sealed_content,
    isLinkOpen: row.is_link_open,
    attempts,
  };
}
