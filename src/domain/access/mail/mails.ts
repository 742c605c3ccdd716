import { LIMITS } from '../../../contract/limits.ts';
import type { MailMessage } from './mail-port.ts';
import { quote } from './quote.ts';

/** The message with a link for a new password. */
export function resetMail(to: string, url: string): MailMessage {
  return {
    to,
    subject: 'Set a new password for Parley',
    text: `Someone asked for a new password for your Parley account.

Open this link to set one. It works once, within ${LIMITS.passwordResetMinutes} minutes:

${url}

If it was not you, ignore this message. Your password stays as it is.
`,
  };
}

/** The message with the link of an invitation. */
export function invitationMail(
  to: string,
  { url, inviter, workspace }: { readonly url: string; readonly inviter: string; readonly workspace: string },
): MailMessage {
  return {
    to,
    subject: 'You are invited to a workspace in Parley',
    text: `You are invited to a workspace in Parley.

Workspace: ${quote(workspace)}
Invited by: ${quote(inviter)}

They chose these names. Open this link to join. It works once, within ${LIMITS.invitationDays} days:

${url}

If you do not know them, ignore this message.
`,
  };
}
