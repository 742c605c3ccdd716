import { useState } from 'react';
import * as z from 'zod/mini';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { FormTextField } from '../forms/fields.tsx';
import { Form, FormError } from '../forms/form.tsx';
import { newPassword, PASSWORD_HINT } from '../forms/new-password.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { CHANGE_PASSWORD } from './documents.ts';

const schema = z
  .object({
    currentPassword: z.string().check(z.minLength(1, 'Enter your current password.')),
    newPassword,
    confirmation: z.string(),
  })
  .check(
    z.refine((values) => values.newPassword === values.confirmation, {
      path: ['confirmation'],
      message: 'The passwords do not match.',
    }),
  );

const EMPTY = { currentPassword: '', newPassword: '', confirmation: '' };

export function PasswordForm() {
  const [isChanged, setChanged] = useState(false);
  const form = useMutationForm({
    schema,
    defaultValues: EMPTY,
    mutation: CHANGE_PASSWORD,
    variables: ({ confirmation: _, ...input }) => ({ input }),
    onSuccess: () => {
      form.reset(EMPTY);
      setChanged(true);
    },
  });
  const { control, busy, formState } = form;
  return (
    <Form form={form} className="flex max-w-md flex-col gap-4">
      <FormTextField
        control={control}
        name="currentPassword"
        label="Current password"
        type="password"
        autoComplete="current-password"
        required
      />
      <FormTextField
        control={control}
        name="newPassword"
        label="New password"
        type="password"
        hint={PASSWORD_HINT}
        autoComplete="new-password"
        required
      />
      <FormTextField
        control={control}
        name="confirmation"
        label="Confirm new password"
        type="password"
        autoComplete="new-password"
        required
      />
      <p className="text-sm text-muted">You will be signed out of all other sessions, in every workspace.</p>
      <FormError form={form} />
      {isChanged && !formState.isDirty && (
        <Notice tone="ok">Password changed. You are signed out of all other sessions.</Notice>
      )}
      <div>
        <Button type="submit" look="primary" busy={busy}>
          Change password
        </Button>
      </div>
    </Form>
  );
}
