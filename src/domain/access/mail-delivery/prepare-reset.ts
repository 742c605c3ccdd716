import type { PrismaClient } from '../../../db/generated/client.ts';
import { sqlIn } from '../../../db/sql.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { SecretBox } from '../../secret-box.ts';
import type { MailMessage } from '../mail/mail-port.ts';
import { resetMail } from '../mail/mails.ts';
import type { ResetRequest } from '../mail/outbox.ts';
import { ANONYMOUS, createResetLink } from '../passwords/reset-links.ts';
import type { ClaimedMail } from './claim.ts';

interface PrepareParts {
  readonly prisma: PrismaClient;
  readonly secretBox: SecretBox;
  readonly publicUrl: string;
  readonly now: () => Date;
}

/**
 * Creates the link that a request asked for, and stores its message in the row of the request, in one transaction: each
 * request creates one link, even if the message has to be sent several times. Removes the request if there is no user with
 * this address. A process that lost its claim creates nothing.
 */
export function prepareReset(
  { prisma, secretBox, publicUrl, now }: PrepareParts,
  { id, lease }: Pick<ClaimedMail, 'id' | 'lease'>,
  { email, request }: ResetRequest,
): Promise<MailMessage | undefined> {
  return inTransaction(prisma, async (tx) => {
    const sql = sqlIn(tx);
    const claimed = await sql.rows`
      SELECT id FROM outgoing_mail WHERE id = ${id}::uuid AND lease_owner = ${lease}::uuid FOR UPDATE`;
    if (claimed.length === 0) return undefined;
    const user = await tx.user.findUnique({ where: { email }, select: { id: true, email: true } });
    if (!user) {
      await sql.execute`DELETE FROM outgoing_mail WHERE id = ${id}::uuid`;
      return undefined;
    }
    const link = await createResetLink({ publicUrl, request, at: now() }, tx, user.id, () => ANONYMOUS);
    const message = resetMail(user.email, link.url);
    await sql.execute`
      UPDATE outgoing_mail
      SET sealed_content = ${secretBox.seal(JSON.stringify(message), id)}::bytea, link_id = ${link.tokenHash},
          expires_at = ${link.expiresAt}
      WHERE id = ${id}::uuid`;
    return message;
  });
}
