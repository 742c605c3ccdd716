import * as z from 'zod/mini';
import { Button } from '../../ui/button.tsx';
import { FormTextField } from '../forms/fields.tsx';
import { Form, FormError } from '../forms/form.tsx';
import { requiredText } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { CONFIRM_SECOND_FACTOR } from './documents.ts';
import { QrCode } from './qr-code.tsx';

const schema = z.object({ code: requiredText('the code', 20) });

interface Props {
  readonly totp: { readonly secret: string; readonly uri: string };
  readonly input: { readonly enrolmentId: string; readonly ticket?: string };
  readonly onConfirmed: (recoveryCodes: readonly string[] | null) => void;
}

/** Shows the secret of an authenticator app, and asks for its first code. */
export function ConfirmApp({ totp: { secret, uri }, input, onConfirmed }: Props) {
  const form = useMutationForm({
    schema,
    defaultValues: { code: '' },
    mutation: CONFIRM_SECOND_FACTOR,
    variables: ({ code }) => ({ input: { ...input, code } }),
    onSuccess: ({ recoveryCodes }) => onConfirmed(recoveryCodes),
  });
  const { control, busy } = form;
  return (
    <Form form={form}>
      <p>Scan the code with your authenticator app, or type the key.</p>
      <QrCode text={uri} label="QR code for your authenticator app" />
      <code className="select-all self-center wrap-anywhere font-mono text-sm">{secret}</code>
      <FormTextField
        control={control}
        name="code"
        label="Code from the app"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
      />
      <FormError form={form} />
      <Button type="submit" look="primary" busy={busy}>
        Add authenticator app
      </Button>
    </Form>
  );
}
