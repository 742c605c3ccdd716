import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import * as z from 'zod/mini';
import { START_SECOND_FACTOR as INPUT } from '../../../shapes/second-factors.ts';
import { Button } from '../../ui/button.tsx';
import { FormSelect, FormTextField } from '../forms/fields.tsx';
import { Form, FormError } from '../forms/form.tsx';
import { requiredText } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import type { PayloadOf } from '../requests.ts';
import { ConfirmApp } from './confirm-app.tsx';
import { ConfirmPasskey } from './confirm-passkey.tsx';
import { START_SECOND_FACTOR } from './documents.ts';
import { RecoveryCodes } from './recovery-codes.tsx';

interface Props {
  /** The ticket of a sign-in that requires the first second factor. By default the session and the password. */
  readonly ticket?: string;
  readonly onDone: () => void;
}

type Started = PayloadOf<ResultOf<typeof START_SECOND_FACTOR>>;

/** Sets up a second factor: chooses it, proves it once, and shows the recovery codes of the first one. */
export function SetUp({ ticket, onDone }: Props) {
  const [started, setStarted] = useState<Started>();
  const [codes, setCodes] = useState<readonly string[]>();
  const onConfirmed = (recoveryCodes: readonly string[] | null) => (recoveryCodes ? setCodes(recoveryCodes) : onDone());
  if (codes) return <RecoveryCodes codes={codes} onDone={onDone} />;
  if (!started) return <Choose ticket={ticket} onStarted={setStarted} />;
  const { enrolmentId, totp, passkeyOptions } = started;
  const input = { enrolmentId, ...(ticket !== undefined && { ticket }) };
  if (totp) return <ConfirmApp {...{ totp, input, onConfirmed }} />;
  return (
    <ConfirmPasskey
      // The service writes it for the browser.
      options={passkeyOptions as PublicKeyCredentialCreationOptionsJSON}
      onAgain={() => setStarted(undefined)}
      {...{ input, onConfirmed }}
    />
  );
}

const KINDS = ['TOTP', 'PASSKEY'] as const;

const schema = (needsPassword: boolean) =>
  z.object({
    kind: z.enum(KINDS),
    name: requiredText('a name', INPUT.fields.name.most),
    password: z.string().check(z.minLength(needsPassword ? 1 : 0, 'Enter your password.')),
  });

interface ChooseProps {
  readonly ticket: string | undefined;
  readonly onStarted: (started: Started) => void;
}

function Choose({ ticket, onStarted }: ChooseProps) {
  const form = useMutationForm({
    schema: schema(ticket === undefined),
    defaultValues: { kind: 'TOTP' as (typeof KINDS)[number], name: '', password: '' },
    mutation: START_SECOND_FACTOR,
    variables: ({ kind, name, password }) => ({
      input: { kind, name, ...(ticket === undefined ? { password } : { ticket }) },
    }),
    onSuccess: onStarted,
  });
  const { control, busy } = form;
  return (
    <Form form={form}>
      <FormSelect control={control} name="kind" label="Second factor">
        <option value="TOTP">Authenticator app</option>
        <option value="PASSKEY">Passkey or security key</option>
      </FormSelect>
      <FormTextField control={control} name="name" label="Name" hint="For example Phone." autoComplete="off" required />
      {ticket === undefined && (
        <FormTextField
          control={control}
          name="password"
          label="Your password"
          type="password"
          autoComplete="current-password"
          required
        />
      )}
      <FormError form={form} />
      <Button type="submit" look="primary" busy={busy}>
        Continue
      </Button>
    </Form>
  );
}
