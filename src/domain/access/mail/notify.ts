import { sqlIn } from '../../../db/sql.ts';
import type { Transaction } from '../../../db/transaction.ts';
import type { AuditSource } from '../../audit/append.ts';
import type { SomeServices } from '../../context.ts';
import type { MailMessage } from './mail-port.ts';
import { type FactsOf, NOTICES, type NoticeKind } from './notices.ts';
import { quote } from './quote.ts';

/** Who did what the notice is about, and when. A context has all of it. */
interface NoticeSource {
  readonly caller: AuditSource['caller'];
  readonly services: SomeServices<'mail' | 'publicUrl'>;
  now(): Date;
}

/** Who gets a notice, and the workspace that it is about. Null: it is about the account. */
interface Recipients {
  readonly userIds: readonly string[];
  readonly workspaceId: string | null;
}

/**
 * Stores a notice for each of these users, in the transaction of what it is about. Does nothing if the service sends no mail.
 *
 * @example
 * await notify(ctx, tx, { userIds: [userId], workspaceId: null }, 'password_changed', {});
 */
export async function notify<Kind extends NoticeKind>(
  { caller, services, now }: NoticeSource,
  tx: Pick<Transaction, '$queryRaw' | '$executeRaw'>,
  { userIds, workspaceId }: Recipients,
  kind: Kind,
  facts: FactsOf<Kind>,
): Promise<void> {
  const {
    stores: { mail },
    settings: { publicUrl },
  } = services;
  if (!mail.isOn) return;
  const sql = sqlIn(tx);
  const users = await sql.rows<{ email: string; workspace: string | null }>`
    SELECT u.email, w.name AS workspace FROM user_account u LEFT JOIN workspace w ON w.id = ${workspaceId}::uuid
    WHERE u.id = ANY (${[...new Set(userIds)]}::uuid[])`;
  for (const { email, workspace } of users) {
    const shown = { ...facts, workspace: workspace ?? '', actor: actorName(caller) };
    const content = noticeMail(email, kind, shown, { publicUrl, at: now() });
    await mail.add(sql, { kind, workspaceId, content });
  }
}

function noticeMail(
  to: string,
  kind: NoticeKind,
  facts: object,
  { publicUrl, at }: { readonly publicUrl: string; readonly at: Date },
): MailMessage {
  // `notify` takes the facts of this kind.
  const { subject, lines } = NOTICES[kind] as { subject: string; lines(facts: object): readonly string[] };
  const text = `${lines(facts).join('\n')}
Time: ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC

If you did not expect this, sign in, change your password and ask an owner of your workspace:

${publicUrl}/dashboard
`;
  return { to, subject, text };
}

function actorName(caller: AuditSource['caller']): string {
  switch (caller.kind) {
    case 'session':
      return 'user' in caller ? quote(caller.user.name) : 'a member';
    case 'app':
      return 'user' in caller ? `an app of ${quote(caller.user.name)}` : 'an app';
    case 'operator':
      return 'the operator of the service';
    case 'service':
      return 'the identity provider of the workspace';
    default:
      return 'a caller with an API key';
  }
}
