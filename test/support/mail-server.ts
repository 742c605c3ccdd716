import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A message that the server received. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it was sent: headers, an empty line and the text. */
  readonly source: string;
  /** The text, with the encoding of the transfer removed. */
  readonly text: string;
}

export interface MailServer {
  readonly url: string;
  readonly mails: ReceivedMail[];
  /** Rejects every recipient while it is set. */
  reject: boolean;
  /** Resolves when the server has received this many messages. */
  received(count: number): Promise<ReceivedMail>;
  close(): Promise<void>;
}

/** A real SMTP server that keeps what it receives. */
export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const waiting = new Set<() => void>();
  const state = { reject: false };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, done) {
      done(state.reject ? Object.assign(new Error(`no mailbox ${address}`), { responseCode: 550 }) : undefined);
    },
    async onData(stream, { envelope }, done) {
      let source = '';
      for await (const bytes of stream) source += bytes;
      const { mailFrom, rcptTo } = envelope;
      const from = mailFrom ? mailFrom.address : '';
      mails.push({ from, to: rcptTo.map(({ address }) => address), source, text: textOf(source) });
      done();
      for (const check of [...waiting]) check();
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mails,
    get reject() {
      return state.reject;
    },
    set reject(value) {
      state.reject = value;
    },
    received: (count) =>
      new Promise((resolve) => {
        const check = () => {
          const mail = mails[count - 1];
          if (!mail) return;
          waiting.delete(check);
          resolve(mail);
        };
        waiting.add(check);
        check();
      }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Decodes `quoted-printable`, which nodemailer uses for long lines. */
function textOf(source: string): string {
  const body = source.slice(source.indexOf('\r\n\r\n') + 4).replaceAll('\r\n', '\n');
  if (!/^Content-Transfer-Encoding: quoted-printable/im.test(source)) return body;
  return body
    .replace(/=\n/g, '')
    .replace(/=([\dA-F]{2})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
