import { createTransport } from 'nodemailer';
import type { MailPort } from '../domain/access/mail/mail-port.ts';

const CONNECT_MS = 10_000;

/** The longest silence of the server. */
const SILENCE_MS = 15_000;

/** Sends plain messages to an SMTP server. `url` can contain a user name and a password. */
export function createSmtp(url: string, from: string): MailPort {
  const transport = createTransport({
    url,
    // A message contains only its own text.
    disableFileAccess: true,
    disableUrlAccess: true,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
  });
  const host = from.slice(from.lastIndexOf('@') + 1);
  return {
    async send(id, { to, subject, text }) {
      // An object is one address, whatever it contains. The envelope does not depend on the headers.
      await transport.sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        envelope: { from, to: [to] },
        messageId: `<${id}@${host}>`,
        // Vacation programs do not respond to such messages.
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    },
    close: () => transport.close(),
  };
}
