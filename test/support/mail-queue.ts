import { randomUUID } from 'node:crypto';
import type { OutgoingMail, PrismaClient } from '../../src/db/generated/client.ts';
import type { MailKind } from '../../src/domain/access/mail/mail-kinds.ts';
import type { TestService } from './service.ts';

/** Stores mails of a workspace, as the domain does. Returns how many the queue took. */
export async function enqueue(
  { service: { services } }: TestService,
  workspaceId: string | null,
  addresses: readonly string[],
  kind: MailKind = 'role_changed',
): Promise<number> {
  let taken = 0;
  for (const to of addresses) {
    const content = { to, subject: `To ${to}`, text: 'A text' };
    if (await services.stores.mail.add(services.stores.sql, { kind, workspaceId, content })) taken += 1;
  }
  services.stores.mail.publish();
  return taken;
}

/** Addresses of different recipients. */
export function manyAddresses(count: number, name: string): string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index}@example.com`);
}

/** A mail that is not due for an hour. */
export function outgoingMailRow(prisma: PrismaClient, workspaceId: string): Promise<OutgoingMail> {
  const later = new Date(Date.now() + 3_600_000);
  return prisma.outgoingMail.create({
    data: {
      id: randomUUID(),
      kind: 'invitation',
      urgent: false,
      workspaceId,
      turnKey: workspaceId,
      sealedContent: Buffer.from('x'),
      nextAttemptAt: later,
      expiresAt: later,
    },
  });
}
