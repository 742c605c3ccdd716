import { useState } from 'react';
import { Link } from 'wouter';
import * as z from 'zod/mini';
import { SIGN_IN as INPUT } from '../../../shapes/sign-in.ts';
import { Button } from '../../ui/button.tsx';
import { pageData } from '../../ui/mount.tsx';
import { Notice } from '../../ui/notice.tsx';
import { FormTextField } from '../forms/fields.tsx';
import { Form, FormError } from '../forms/form.tsx';
import { requiredText } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { CompleteSignIn } from '../second-factors/complete.tsx';
import { type PendingSignIn, pendingOf } from '../second-factors/pending.ts';
import { SIGN_IN } from '../session/documents.ts';
import { EntryPage } from '../session/entry-page.tsx';
import { keepAddress } from './return-address.ts';

const schema = z.object({
  email: requiredText('your email address', INPUT.fields.email.most),
  password: z.string().check(z.minLength(1, 'Enter your password.')),
});

interface Props {
  /** The workspace to sign in to. By default the one that the user joined first. */
  readonly workspaceId?: string | undefined;
  /** Why the user has to sign in now. */
  readonly reason?: string | undefined;
  readonly onDone: () => void;
}

export function SignIn({ workspaceId, reason, onDone }: Props) {
  const [pending, setPending] = useState<PendingSignIn>();
  const form = useMutationForm({
    schema,
    defaultValues: { email: '', password: '' },
    mutation: SIGN_IN,
    variables: (values) => ({ input: { ...values, cookie: true, ...(workspaceId && { workspaceId }) } }),
    onSuccess: onDone,
    onError: (error) => {
      const next = pendingOf(error);
      setPending(next);
      return next !== undefined;
    },
  });
  const { control, busy } = form;
  const continueWithProvider = () => {
    const domain = form.getValues('email').trim().split('@')[1];
    keepAddress();
    if (workspaceId) window.location.assign(`/sign-in/oidc?workspace=${workspaceId}`);
    // Only the domain, because servers log addresses.
    else if (domain) window.location.assign(`/sign-in/oidc?domain=${encodeURIComponent(domain)}`);
    else form.setError('email', { message: 'Enter the email address of your company.' }, { shouldFocus: true });
  };
  if (pending) return <CompleteSignIn {...{ pending, onDone }} onCancel={() => setPending(undefined)} />;
  return (
    <EntryPage title="Sign in">
      {reason && <Notice>{reason}</Notice>}
      <Form form={form}>
        <FormTextField control={control} name="email" label="Email" type="email" autoComplete="username" required />
        <FormTextField
          control={control}
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
          required
        />
        <FormError form={form} />
        <Button type="submit" look="primary" busy={busy}>
          Sign in
        </Button>
        <Button onClick={continueWithProvider}>Continue with single sign-on</Button>
        {pageData<{ sendsMail?: boolean }>().sendsMail && (
          <Link to="/forgot-password" className="self-center text-accent underline">
            Forgot password?
          </Link>
        )}
      </Form>
    </EntryPage>
  );
}
