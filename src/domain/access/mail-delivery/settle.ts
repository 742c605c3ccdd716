import type { Sql } from '../../../db/sql.ts';
import { NO_LEASE } from '../../leases/lease-sql.ts';
import type { MailKind } from '../mail/mail-kinds.ts';
import type { ClaimedMail } from './claim.ts';

type Claim = Pick<ClaimedMail, 'id' | 'lease'>;

/** Mails that one statement removes. */
const SWEEP_BATCH = 1_000;

/** Removes a mail that was sent or given up, with its text. A process that lost its claim removes nothing. */
export async function removeMail(sql: Pick<Sql, 'execute'>, { id, lease }: Claim): Promise<boolean> {
  return (await sql.execute`DELETE FROM outgoing_mail WHERE id = ${id}::uuid AND lease_owner = ${lease}::uuid`) > 0;
}

/** Plans the next attempt. Returns false if the mail expires before it. */
export async function retryMail(sql: Sql, { id, lease }: Claim, waitMs: number): Promise<boolean> {
  const count = await sql.execute`
    UPDATE outgoing_mail
    SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${waitMs / 1_000}::float8), ${NO_LEASE}
    WHERE id = ${id}::uuid AND lease_owner = ${lease}::uuid
      AND expires_at > now() + make_interval(secs => ${waitMs / 1_000}::float8)`;
  return count > 0;
}

/** Releases the claim without an attempt, so any process can claim the mail immediately. */
export async function releaseMail(sql: Sql, { id, lease }: Claim): Promise<void> {
  await sql.execute`UPDATE outgoing_mail SET ${NO_LEASE} WHERE id = ${id}::uuid AND lease_owner = ${lease}::uuid`;
}

/** A mail that expired before it was sent. */
export interface ExpiredMail {
  readonly id: string;
  readonly kind: MailKind;
  readonly workspace_id: string | null;
  readonly attempts: number;
}

/** Removes expired mails. */
export function sweepMails(sql: Sql): Promise<ExpiredMail[]> {
  return sql.rows<ExpiredMail>`
    DELETE FROM outgoing_mail WHERE id IN (
      SELECT id FROM outgoing_mail
      WHERE expires_at <= now() AND (lease_expires_at IS NULL OR lease_expires_at < now())
      ORDER BY expires_at LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED)
    RETURNING id, kind, workspace_id, attempts`;
}

/** The mails that wait, by urgency. */
export interface QueueState {
  readonly urgent: boolean;
  readonly count: number;
  readonly oldest_seconds: number;
}

export function readQueueState(sql: Sql): Promise<QueueState[]> {
  return sql.rows<QueueState>`
    SELECT urgent, count(*)::int AS count, extract(epoch FROM now() - min(created_at))::float8 AS oldest_seconds
    FROM outgoing_mail GROUP BY urgent`;
}
