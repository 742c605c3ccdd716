import { useState } from 'react';
import { Link } from 'wouter';
import * as z from 'zod/mini';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { FormTextField } from '../forms/fields.tsx';
import { Form, FormError } from '../forms/form.tsx';
import { newPassword, PASSWORD_HINT } from '../forms/new-password.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { RESET_PASSWORD } from '../session/documents.ts';
import { EntryPage } from '../session/entry-page.tsx';

/** The token follows the #, which the browser does not send to the server. */
const tokenOfAddress = () => new URLSearchParams(window.location.hash.slice(1)).get('token') ?? '';

const schema = z.object({ password: newPassword });

/** The page of a link for a new password. */
export function ResetPassword() {
  const [token] = useState(tokenOfAddress);
  const [email, setEmail] = useState<string>();
  const form = useMutationForm({
    schema,
    defaultValues: { password: '' },
    mutation: RESET_PASSWORD,
    variables: ({ password }) => ({ input: { token, password } }),
    onSuccess: (payload) => setEmail(payload.email),
  });
  return (
    <EntryPage title="New password">
      {email && <Notice tone="ok">{`The password of ${email} is changed. All its sessions have ended.`}</Notice>}
      {!token && <Notice tone="warn">This link is incomplete. Open it again from your message.</Notice>}
      {token && !email && (
        <Form form={form}>
          <p className="text-muted">Set a new password for your account. It ends all of its sessions.</p>
          <FormTextField
            control={form.control}
            name="password"
            label="New password"
            type="password"
            hint={PASSWORD_HINT}
            autoComplete="new-password"
            required
          />
          <FormError form={form} />
          <Button type="submit" look="primary" busy={form.busy}>
            Set password
          </Button>
        </Form>
      )}
      <Link to="/" className="text-accent underline">
        Back to sign-in
      </Link>
    </EntryPage>
  );
}
