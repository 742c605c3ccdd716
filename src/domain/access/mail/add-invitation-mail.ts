import { sqlIn } from '../../../db/sql.ts';
import type { Transaction } from '../../../db/transaction.ts';
import type { Context } from '../../context.ts';
import { invitationMail } from './mails.ts';

/** The invitation that a mail contains. */
interface MailedInvitation {
  readonly id: string;
  readonly email: string;
  readonly workspaceId: string;
  readonly invitedBy: { readonly name: string };
}

/** Stores the mail of an invitation in its transaction. Returns false if the service does not send it. */
export async function addInvitationMail(
  {
    services: {
      stores: { mail },
    },
  }: Context,
  tx: Transaction,
  { id, email, workspaceId, invitedBy }: MailedInvitation,
  url: string,
): Promise<boolean> {
  if (!mail.isOn) return false;
  const { name } = await tx.workspace.findUniqueOrThrow({ where: { id: workspaceId }, select: { name: true } });
  const content = invitationMail(email, { url, inviter: invitedBy.name, workspace: name });
  return mail.add(sqlIn(tx), { kind: 'invitation', workspaceId, content, linkId: id });
}
