import type { SignInProblemCode } from '../../../contract/sign-in.ts';
import { Notice } from '../../ui/notice.tsx';
import { EntryPage } from '../session/entry-page.tsx';

const ADMINISTRATOR = 'Ask an administrator of your workspace.';

/** What happened, and what the user can do. */
const TEXTS: Readonly<Record<SignInProblemCode, string>> = {
  no_provider: `There is no single sign-on for this email address. Sign in with your password. ${ADMINISTRATOR}`,
  provider_failed: 'Your identity provider does not respond as expected. Try again in a few minutes.',
  provider_denied: 'The sign-in was cancelled, or your identity provider does not give you access to Parley.',
  attempt_expired: 'This sign-in took too long, was used before, or began in another window. Start again.',
  response_invalid: `The response of your identity provider is not valid, so you are not signed in. ${ADMINISTRATOR}`,
  email_not_verified: `Your identity provider does not say that your email address is verified. ${ADMINISTRATOR}`,
  domain_not_allowed: 'Your email address does not belong to a domain of this workspace. Use your work account.',
  not_member: 'You are not a member of this workspace. Ask an administrator for an invitation, then sign in again.',
  other_account: `Your email address belongs to a member who uses another account of the provider. ${ADMINISTRATOR}`,
};

/** The page of a single sign-on that failed. */
export function SignOnProblem({ code }: { readonly code: SignInProblemCode }) {
  return (
    <EntryPage title="You are not signed in">
      <Notice tone="danger">{TEXTS[code]}</Notice>
      {/* The page has another address than the dashboard. */}
      <a href="/dashboard" className="text-accent underline">
        Back to sign-in
      </a>
    </EntryPage>
  );
}
