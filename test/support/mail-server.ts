import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';

/** A message that the server received. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  /** The raw message: headers, an empty line and the text. */
  readonly source: string;
  /** The text, with the encoding of the transfer removed. */
  readonly text: string;
}

export interface MailServer {
  readonly url: string;
  readonly mails: ReceivedMail[];
  /** Rejects recipients with this status while it is not 0. */
  reject: number;
  /** Waits before it confirms a message that it received. */
  delayMs: number;
  /** Resolves when the server has received this many messages. */
  received(count: number): Promise<ReceivedMail>;
  /** Resolves with the oldest message to this address, and with this subject, that was not taken before. */
  take(to: string, subject: string): Promise<ReceivedMail>;
  close(): Promise<void>;
}

/** A real SMTP server that keeps what it receives. */
export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const taken = new Set<ReceivedMail>();
  const waiting = new Set<() => void>();
  const state = { reject: 0, delayMs: 0 };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, done) {
      const { reject: responseCode } = state;
      done(responseCode > 0 ? Object.assign(new Error(`no mailbox ${address}`), { responseCode }) : undefined);
    },
    async onData(stream, { envelope }, done) {
      let source = '';
      for await (const bytes of stream) source += bytes;
      const { mailFrom, rcptTo } = envelope;
      const from = mailFrom ? mailFrom.address : '';
      const [, subject = ''] = /^Subject: (.*)\r$/m.exec(source) ?? [];
      mails.push({ from, to: rcptTo.map(({ address }) => address), subject, source, text: textOf(source) });
      for (const check of [...waiting]) check();
      if (state.delayMs > 0) await pause(state.delayMs);
      done();
    },
  });
  const first = (find: () => ReceivedMail | undefined) =>
    new Promise<ReceivedMail>((resolve) => {
      const check = () => {
        const mail = find();
        if (!mail) return;
        waiting.delete(check);
        resolve(mail);
      };
      waiting.add(check);
      check();
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
    get delayMs() {
      return state.delayMs;
    },
    set delayMs(value) {
      state.delayMs = value;
    },
    received: (count) => first(() => mails[count - 1]),
    take: (to, subject) =>
      first(() => {
        const mail = mails.find((one) => !taken.has(one) && one.to.includes(to) && one.subject === subject);
        if (mail) taken.add(mail);
        return mail;
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
