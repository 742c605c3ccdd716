import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { Link } from 'wouter';
import * as z from 'zod/mini';
import { enumValueOf } from '../../../contract/enum-names.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { ACCEPT_INVITATION as INPUT } from '../../../shapes/sign-in.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { FormTextField } from '../forms/fields.tsx';
import { Form, FormError } from '../forms/form.tsx';
import { newPassword, PASSWORD_HINT } from '../forms/new-password.ts';
import { requiredText } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { Loaded } from '../frame/loaded.tsx';
import { useServiceQuery } from '../requests.ts';
import { CompleteSignIn } from '../second-factors/complete.tsx';
import { type PendingSignIn, pendingOf } from '../second-factors/pending.ts';
import { ACCEPT_INVITATION, INVITATION_OFFER } from '../session/documents.ts';
import { EntryPage } from '../session/entry-page.tsx';

/** The token follows the #, which the browser does not send to the server. */
const tokenOfAddress = () => new URLSearchParams(window.location.hash.slice(1)).get('token') ?? '';

/** The page of an invitation's link: creates an account, or asks for the password of an existing one. */
export function Invitation({ onDone }: { readonly onDone: () => void }) {
  const [token] = useState(tokenOfAddress);
  const [pending, setPending] = useState<PendingSignIn>();
  const query = useServiceQuery(INVITATION_OFFER, { token }, { pause: !token });
  const offer = query.data?.invitationOffer;
  // The person has joined. The invitation is used up, so they can only complete the sign-in or sign in again.
  if (pending) return <CompleteSignIn {...{ pending, onDone }} onCancel={onDone} />;
  if (!token) return <Invalid>This link is incomplete. Open it again from your message, or ask for a new one.</Invalid>;
  if (offer === null && !query.error) {
    return (
      <Invalid>
        {`This invitation is not valid: it was used, replaced or revoked, or is older than ${LIMITS.invitationDays} days. Ask for a new one.`}
      </Invalid>
    );
  }
  return (
    <EntryPage title={offer ? `Join ${offer.workspaceName}` : 'Join a workspace'}>
      <Loaded query={query}>{() => offer && <Join {...{ token, offer, onDone }} onPending={setPending} />}</Loaded>
    </EntryPage>
  );
}

interface JoinProps {
  readonly token: string;
  readonly offer: NonNullable<ResultOf<typeof INVITATION_OFFER>['invitationOffer']>;
  readonly onDone: () => void;
  readonly onPending: (pending: PendingSignIn) => void;
}

const newAccount = z.object({
  name: requiredText('your name', INPUT.fields.name.most),
  password: newPassword,
});

/** A user who is signed in with the account may leave the password empty. */
const existingAccount = z.object({ name: z.string(), password: z.string() });

function Join({ token, offer: { email, role, hasAccount: isKnown, emailed }, onDone, onPending }: JoinProps) {
  const [isMine, setMine] = useState(false);
  // The link does not say whether there is an account if its inviter saw it. Then the person says so.
  const hasAccount = isKnown || isMine;
  const form = useMutationForm({
    schema: hasAccount ? existingAccount : newAccount,
    defaultValues: { name: '', password: '' },
    mutation: ACCEPT_INVITATION,
    variables: ({ name, password }) => ({
      input: { token, cookie: true, ...(!hasAccount && { name }), ...(password && { password }) },
    }),
    onSuccess: onDone,
    onError: (error) => {
      const pending = pendingOf(error);
      if (pending) onPending(pending);
      return pending !== undefined;
    },
    // The service asks for the name of a new account if the password is wrong. The form of an existing one has no name.
    mapField: (path) => (hasAccount && path === 'name' ? 'password' : path),
  });
  const { control, busy } = form;
  return (
    <Form form={form}>
      <p className="text-muted">
        <strong className="wrap-anywhere font-medium text-ink">{email}</strong> is invited as {enumValueOf(role)}.{' '}
        {hasAccount ? 'Enter the password of your account to join.' : 'Create an account to join.'}
      </p>
      {!emailed && (
        <Checkbox
          label="I already have an account with this address"
          checked={isMine}
          onChange={(event) => setMine(event.target.checked)}
        />
      )}
      {/* Password managers store the password under this name. */}
      <input type="hidden" autoComplete="username" value={email} />
      {!hasAccount && <FormTextField control={control} name="name" label="Your name" autoComplete="name" required />}
      <FormTextField
        control={control}
        name="password"
        label={hasAccount ? 'Your password' : 'New password'}
        type="password"
        hint={hasAccount ? 'Leave empty if you are already signed in with this account.' : PASSWORD_HINT}
        autoComplete={hasAccount ? 'current-password' : 'new-password'}
        required={!hasAccount}
      />
      <FormError form={form} />
      <Button type="submit" look="primary" busy={busy}>
        Join
      </Button>
    </Form>
  );
}

/** The link cannot be used. */
function Invalid({ children }: { readonly children: string }) {
  return (
    <EntryPage title="Join a workspace">
      <Notice tone="warn">{children}</Notice>
      <p>
        If you have already joined,{' '}
        <Link to="/" className="text-accent underline">
          sign in
        </Link>
        .
      </p>
    </EntryPage>
  );
}
