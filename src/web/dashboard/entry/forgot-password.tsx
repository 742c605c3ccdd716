import { useState } from 'react';
import { Link } from 'wouter';
import * as z from 'zod/mini';
import { LIMITS } from '../../../contract/limits.ts';
import { REQUEST_PASSWORD_RESET as INPUT } from '../../../shapes/accounts.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { FormTextField } from '../forms/fields.tsx';
import { Form, FormError } from '../forms/form.tsx';
import { requiredText } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { REQUEST_PASSWORD_RESET } from '../session/documents.ts';
import { EntryPage } from '../session/entry-page.tsx';

const schema = z.object({ email: requiredText('your email address', INPUT.fields.email.most) });

/** Requests a link for a new password. The page does not know whether there is an account. */
export function ForgotPassword() {
  const [isSent, setSent] = useState(false);
  const form = useMutationForm({
    schema,
    defaultValues: { email: '' },
    mutation: REQUEST_PASSWORD_RESET,
    variables: (input) => ({ input }),
    onSuccess: () => setSent(true),
  });
  return (
    <EntryPage title="Forgot password">
      {isSent ? (
        <Notice>
          If there is an account with this address, it gets an email with a link. The link works for{' '}
          {LIMITS.passwordResetMinutes} minutes.
        </Notice>
      ) : (
        <Form form={form}>
          <p className="text-muted">Enter your email address. You get a link with which you set a new password.</p>
          <FormTextField
            control={form.control}
            name="email"
            label="Email"
            type="email"
            autoComplete="username"
            required
          />
          <FormError form={form} />
          <Button type="submit" look="primary" busy={form.busy}>
            Send link
          </Button>
        </Form>
      )}
      <Link to="/" className="text-accent underline">
        Back to sign-in
      </Link>
    </EntryPage>
  );
}
