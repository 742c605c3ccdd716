import { LIMITS } from '../../../contract/limits.ts';
import { RATE_LIMITS, type RateLimit } from '../rate-limits.ts';
import { NOTICES, type NoticeKind } from './notices.ts';

/** What a mail is about. */
export type MailKind = 'password_reset' | 'invitation' | NoticeKind;

/** How mails of one kind are sent. */
interface KindRules {
  /** Whether they are sent before the others: the recipient may wait in front of the screen. */
  readonly urgent: boolean;
  /** The minutes after which an unsent mail is given up. */
  readonly minutes: number;
  /** The limit of sent mails for one recipient, counted in all workspaces. Undefined: the request was limited. */
  readonly perRecipient: RateLimit | undefined;
}

/** A notice says when it happened, so it is still useful after a day without a mail server. */
const NOTICE_MINUTES = 24 * 60;

export function rulesOf(kind: MailKind): KindRules {
  switch (kind) {
    case 'password_reset':
      return { urgent: true, minutes: LIMITS.passwordResetMinutes, perRecipient: undefined };
    case 'invitation':
      return { urgent: false, minutes: LIMITS.invitationDays * 1_440, perRecipient: RATE_LIMITS.invitationMails };
    default:
      return { urgent: NOTICES[kind].urgent, minutes: NOTICE_MINUTES, perRecipient: RATE_LIMITS.notices };
  }
}
