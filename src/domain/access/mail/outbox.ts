import { randomUUID } from 'node:crypto';
import { LIMITS } from '../../../contract/limits.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { PubSub } from '../../../db/pub-sub.ts';
import type { Sql } from '../../../db/sql.ts';
import type { SecretBox } from '../../secret-box.ts';
import type { Log } from '../../telemetry.ts';
import { type MailKind, rulesOf } from './mail-kinds.ts';
import type { MailMessage } from './mail-port.ts';

/** Published when a mail may have to be sent. */
export const MAIL_TOPIC = 'mail';

/** A request for a link whose message does not exist yet: only the dispatcher looks for the account. */
export interface ResetRequest {
  readonly email: string;
  /** The audit log names this request. */
  readonly request: { readonly id: string; readonly address: string };
}

/** What is encrypted in the row of a mail. */
export type MailContent = MailMessage | ResetRequest;

/** A mail to store. */
export interface NewMail {
  readonly kind: MailKind;
  /** Null: the mail is about an account. */
  readonly workspaceId: string | null;
  readonly content: MailContent;
  /** The invitation whose link it contains. The mail is not sent after the invitation was used, replaced or revoked. */
  readonly linkId?: string;
}

interface OutboxParts {
  /** Whether the operator configured a mail server. */
  readonly isOn: boolean;
  readonly secretBox: SecretBox;
  readonly pubSub: PubSub;
  readonly log: Log;
}

/** Stores mails, which `MailDispatcher` sends. Stored in the transaction of a change, a mail is as durable as the change. */
export class MailOutbox {
  readonly #parts: OutboxParts;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Whether the service can send mails. */
  get isOn(): boolean {
    return this.#parts.isOn;
  }

  /**
   * Stores a mail. Returns false if the service sends no mail, or if too many wait: those of one kind in the workspace, or
   * those of all workspaces. Mails about accounts have a limit of their own, so no tenant can use it up.
   */
  async add(sql: Pick<Sql, 'execute'>, { kind, workspaceId, content, linkId }: NewMail): Promise<boolean> {
    if (!this.isOn) return false;
    const { secretBox, log } = this.#parts;
    const { urgent, minutes } = rulesOf(kind);
    const id = randomUUID();
    const sealed = secretBox.seal(JSON.stringify(content), id);
    const turnKey = workspaceId ?? recipientKey(secretBox, 'to' in content ? content.to : content.email);
    const count = await sql.execute`
      INSERT INTO outgoing_mail (id, kind, urgent, workspace_id, turn_key, sealed_content, link_id, expires_at)
      SELECT ${id}::uuid, ${kind}, ${urgent}, ${workspaceId}::uuid, ${turnKey}, ${sealed}::bytea, ${linkId ?? null},
             now() + make_interval(mins => ${minutes}::int)
      WHERE ${hasSpace(kind, workspaceId)}`;
    if (count === 0) log.warn({ kind, workspace_id: workspaceId }, 'a mail was not stored: too many wait to be sent');
    return count > 0;
  }

  /** Makes the dispatchers look for mails. Call it after the commit. Without it they find the mail within a second. */
  publish(): void {
    if (this.isOn) this.#parts.pubSub.publish(MAIL_TOPIC);
  }
}

/** The key of a recipient in limits. Addresses stay out of tables and logs. */
export function recipientKey(box: SecretBox, address: string): string {
  return box.digest(`recipient ${address}`);
}

function hasSpace(kind: MailKind, workspaceId: string | null): Prisma.Sql {
  const [owner, limit] =
    workspaceId === null
      ? [Prisma.sql`workspace_id IS NULL`, LIMITS.waitingAccountMails]
      : [Prisma.sql`workspace_id = ${workspaceId}::uuid`, LIMITS.waitingMailsOfWorkspace];
  const own = Prisma.sql`(SELECT count(*) FROM outgoing_mail WHERE ${owner} AND kind = ${kind}) < ${limit}`;
  return workspaceId === null ? own : Prisma.sql`${own} AND outgoing_mail_count() < ${LIMITS.waitingMails}`;
}
