import { setTimeout as pause } from 'node:timers/promises';
import type { PrismaClient } from '../../../db/generated/client.ts';
import type { RateLimiter } from '../../../db/rate-limiter.ts';
import type { SystemSql } from '../../../db/sql.ts';
import type { SecretBox } from '../../secret-box.ts';
import type { Log, MailOutcome, Observer } from '../../telemetry.ts';
import { rulesOf } from '../mail/mail-kinds.ts';
import type { MailMessage, MailPort } from '../mail/mail-port.ts';
import { type MailContent, recipientKey } from '../mail/outbox.ts';
import type { ClaimedMail } from './claim.ts';
import type { MailPace } from './pace.ts';
import { prepareReset } from './prepare-reset.ts';
import { releaseMail, removeMail, retryMail } from './settle.ts';

/** What an attempt needs. The database clients see every tenant. */
export interface MailParts {
  readonly port: MailPort;
  readonly sql: SystemSql;
  readonly prisma: PrismaClient;
  readonly secretBox: SecretBox;
  readonly rateLimiter: RateLimiter;
  readonly publicUrl: string;
  readonly log: Log;
  readonly observer: Observer;
  readonly now: () => Date;
  readonly monotonicMs: () => number;
}

/** The part of an error that contains no address. */
interface MailFailure {
  readonly code: unknown;
  readonly response_code: unknown;
  readonly command: unknown;
}

const TIMED_OUT: MailFailure = { code: 'ETIMEDOUT', response_code: undefined, command: undefined };

/** A claim lasts this much longer than sending, for the statements before and after. */
export const MARGIN_MS = 10_000;

/**
 * Sends a claimed mail, and records the outcome. The row is removed after the server accepted the mail. If the process dies
 * between the two, another process sends the mail again: twice is possible, never is not.
 */
export async function attemptMail(parts: MailParts, pace: MailPace, mail: ClaimedMail): Promise<void> {
  const { sql, log } = parts;
  const startedMs = parts.monotonicMs();
  const message = await messageOf(parts, mail);
  if (message === undefined) return;
  // The process was stopped, or the database was away. Another process may have the mail.
  if (parts.monotonicMs() - startedMs > MARGIN_MS / 2) return releaseMail(sql, mail);
  const failure = await send(parts, pace, mail, message);
  if (!failure) {
    await removeMail(sql, mail);
    return parts.observer.mailSettled(mail.kind, 'sent');
  }
  const waitMs = isRejected(failure) ? undefined : pace.retriesMs[mail.attempts];
  const facts = { ...factsOf(mail), ...failure };
  if (waitMs !== undefined && (await retryMail(sql, mail, waitMs))) {
    parts.observer.mailSettled(mail.kind, 'failed');
    return log.warn(facts, 'a mail could not be sent and is tried again');
  }
  await drop(parts, mail, 'given_up');
  log.warn(facts, 'a mail was given up');
}

/** The message to send. Undefined: there is nothing to send, and the row is removed or claimed by another process. */
async function messageOf(parts: MailParts, mail: ClaimedMail): Promise<MailMessage | undefined> {
  const { secretBox, log } = parts;
  if (!mail.isLinkOpen) return drop(parts, mail, 'obsolete');
  let content: MailContent;
  try {
    // `MailOutbox` wrote it.
    content = JSON.parse(secretBox.open(mail.sealedContent, mail.id)) as MailContent;
  } catch {
    log.error(factsOf(mail), 'a mail was given up: no key of this process decrypts it');
    return drop(parts, mail, 'given_up');
  }
  const message = 'to' in content ? content : await prepareReset(parts, mail, content);
  if (!message || (await isAllowed(parts, mail, message.to))) return message;
  log.warn(factsOf(mail), 'a mail was not sent: its recipient got too many of its kind');
  return drop(parts, mail, 'limited');
}

/** Counts the mail for its recipient, at its first attempt. */
async function isAllowed(
  { rateLimiter, secretBox }: MailParts,
  { kind, attempts }: ClaimedMail,
  to: string,
): Promise<boolean> {
  const { perRecipient } = rulesOf(kind);
  if (!perRecipient || attempts > 0) return true;
  return (await rateLimiter.consume(perRecipient, `${kind}:${recipientKey(secretBox, to)}`)).allowed;
}

async function drop(parts: MailParts, mail: ClaimedMail, outcome: MailOutcome): Promise<undefined> {
  if (await removeMail(parts.sql, mail)) parts.observer.mailSettled(mail.kind, outcome);
}

/** Returns the reason if the server did not accept the message in time. */
async function send(
  { port }: MailParts,
  { timeoutMs }: MailPace,
  { id }: ClaimedMail,
  message: MailMessage,
): Promise<MailFailure | undefined> {
  const sent = new AbortController();
  const deadline = pause(timeoutMs, TIMED_OUT, { signal: sent.signal }).catch(() => undefined);
  try {
    return await Promise.race([port.send(id, message).then(() => undefined), deadline]);
  } catch (error) {
    // Errors of mail servers quote the address.
    const { code, responseCode, command } = error as Readonly<Record<string, unknown>>;
    return { code, response_code: responseCode, command };
  } finally {
    sent.abort();
  }
}

/** Whether the server permanently rejects the recipient or the text. Other errors can be those of the operator's settings. */
function isRejected({ response_code: status, command }: MailFailure): boolean {
  return Number(status) >= 500 && (command === 'RCPT TO' || command === 'DATA');
}

/** What logs say about a mail: no address and no text. */
export function factsOf({
  id,
  kind,
  workspaceId,
  attempts,
}: Pick<ClaimedMail, 'id' | 'kind' | 'workspaceId' | 'attempts'>) {
  return { mail_id: id, kind, workspace_id: workspaceId, failed_attempts: attempts };
}
