import type { Mutant } from './mutant.ts';

const QUEUE_TEST = 'spec/mail-queue.test.ts';
const NOTICES_TEST = 'spec/mail-notices.test.ts';
const QUOTE = 'domain/access/mail/quote.ts';
const QUOTE_TEST = 'domain/mail-quote.test.ts';

/** Guards of the mail queue, and of what mails contain. */
export const MAIL: readonly Mutant[] = [
  {
    name: 'a process that lost its claim removes the mail',
    file: 'domain/access/mail-delivery/settle.ts',
    find: ' AND lease_owner = ${lease}::uuid`) > 0;',
    replace: '`) > 0;',
    test: QUEUE_TEST,
  },
  {
    name: 'links for new passwords wait for other mails',
    file: 'domain/access/mail/mail-kinds.ts',
    find: 'urgent: true, minutes: LIMITS.passwordResetMinutes',
    replace: 'urgent: false, minutes: LIMITS.passwordResetMinutes',
    test: QUEUE_TEST,
  },
  {
    name: 'the mails of workspaces are sent in the order of their creation',
    file: 'domain/access/mail-delivery/claim.ts',
    find: 'ORDER BY turn, place NULLS FIRST, next_attempt_at, id LIMIT ${capacity.ordinary}',
    replace: 'ORDER BY next_attempt_at, id LIMIT ${capacity.ordinary}',
    test: QUEUE_TEST,
  },
  {
    name: 'a workspace can store any number of mails',
    file: 'domain/access/mail/outbox.ts',
    find: 'AND kind = ${kind}) < ${limit}`',
    replace: 'AND kind = ${kind}) + ${limit} > 0`',
    test: QUEUE_TEST,
  },
  {
    name: 'all workspaces together can store any number of mails',
    file: 'domain/access/mail/outbox.ts',
    find: ' AND outgoing_mail_count() < ${LIMITS.waitingMails}',
    replace: '',
    test: QUEUE_TEST,
  },
  {
    name: 'a link is sent after it was replaced or has expired',
    file: 'domain/access/mail-delivery/attempt.ts',
    find: "if (!mail.isLinkOpen) return drop(parts, mail, 'obsolete');",
    replace: '',
    test: QUEUE_TEST,
  },
  {
    name: 'a mail that the server rejects permanently is sent again',
    file: 'domain/access/mail-delivery/attempt.ts',
    find: 'isRejected(failure) ? undefined : ',
    replace: '',
    test: QUEUE_TEST,
  },
  {
    name: 'each attempt creates another link',
    file: 'domain/access/mail-delivery/prepare-reset.ts',
    find: 'sealed_content = ${secretBox.seal(JSON.stringify(message), id)}::bytea, link_id',
    replace: 'link_id',
    test: QUEUE_TEST,
  },
  {
    name: 'a workspace can invite an address any number of times',
    file: 'domain/access/members/invitations.ts',
    find: 'await count(RATE_LIMITS.invitationsToAddress, `${workspaceId}:${recipientKey(services.settings.secretBox, email)}`);',
    replace: '',
    test: QUEUE_TEST,
  },
  {
    name: 'a recipient gets any number of mails',
    file: 'domain/access/mail-delivery/attempt.ts',
    find: 'if (!perRecipient || attempts > 0) return true;',
    replace: 'if (perRecipient || attempts >= 0) return true;',
    test: NOTICES_TEST,
  },
  {
    name: 'each sign-in sends a mail',
    file: 'domain/access/mail/notify-sign-in.ts',
    find: 'if (rows.some((row) => row !== own && placeOf(row) === placeOf(own))) return;',
    replace: '',
    test: NOTICES_TEST,
  },
  {
    name: 'the name of a tenant becomes a link in a mail',
    file: QUOTE,
    find: ".replace(/[.。・:](?=\\S)/gu, '$& ')",
    replace: '',
    test: QUOTE_TEST,
  },
  {
    name: 'the name of a tenant ends its quotes in a mail',
    file: QUOTE,
    find: `.replace(/["“”„‟«»〝〞〟＂<>]/gu, "'")`,
    replace: '',
    test: QUOTE_TEST,
  },
];
