import { MAIL_PACE, type MailPace } from '../../src/domain/access/mail-delivery/pace.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { startService, type TestService } from './service.ts';
import { until } from './until.ts';

/** A service that sends to a mail server of its own. */
export interface Mailing {
  readonly service: TestService;
  readonly server: MailServer;
  /** Requests a link for a new password from a new address. */
  reset(email: string): Promise<void>;
  /** Resolves when no mail waits. */
  sent(): Promise<void>;
  /** Can be called twice. */
  close(): Promise<void>;
}

let addresses = 0;

export async function startMailing(pace: Partial<MailPace> = {}): Promise<Mailing> {
  const server = await startMailServer();
  const mail = { url: server.url, from: 'parley@example.com' };
  const service = await startService({ trustProxy: 'loopback', mail }, { mail: { ...MAIL_PACE, pollMs: 50, ...pace } });
  let closed: Promise<void> | undefined;
  return {
    service,
    server,
    async reset(email) {
      addresses += 1;
      const headers = { 'x-forwarded-for': `192.0.2.${addresses}` };
      await service.send('POST', '/v1/password-reset-requests', { body: { email }, key: null, headers });
    },
    sent: async () => void (await until(async () => (await countMails(service)) === 0)),
    close: () => {
      closed ??= service.close().then(() => server.close());
      return closed;
    },
  };
}

export function countMails({ service }: TestService): Promise<number> {
  return service.services.stores.prisma.outgoingMail.count();
}
