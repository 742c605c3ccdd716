import { type PublicKeyCredentialRequestOptionsJSON, startAuthentication } from '@simplewebauthn/browser';
import { useState } from 'react';
import * as z from 'zod/mini';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { FormTextField } from '../forms/fields.tsx';
import { Form, FormError } from '../forms/form.tsx';
import { requiredText } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { ErrorNotice } from '../frame/loaded.tsx';
import { useServiceMutation } from '../requests.ts';
import { EntryPage } from '../session/entry-page.tsx';
import { COMPLETE_SIGN_IN } from './documents.ts';
import type { PendingSignIn } from './pending.ts';
import { SetUp } from './set-up.tsx';

interface Props {
  readonly pending: PendingSignIn;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

/** The second step of a sign-in. A member without a second factor sets one up, if the workspace requires it. */
export function CompleteSignIn({ pending, onDone, onCancel }: Props) {
  const { ticket, enrolmentRequired } = pending;
  return (
    <EntryPage title={enrolmentRequired ? 'Set up a second factor' : 'Second factor'}>
      {enrolmentRequired ? <Enrol {...{ ticket, onDone }} /> : <Prove {...{ pending, onDone }} />}
      <Button onClick={onCancel}>Sign in again</Button>
    </EntryPage>
  );
}

function Enrol({ ticket, onDone }: { readonly ticket: string; readonly onDone: () => void }) {
  const { mutate, error } = useServiceMutation(COMPLETE_SIGN_IN);
  const complete = async () => {
    if (await mutate({ input: { ticket, cookie: true } })) onDone();
  };
  return (
    <>
      <p className="text-muted">This workspace requires a second factor in addition to your password.</p>
      <SetUp ticket={ticket} onDone={complete} />
      <ErrorNotice error={error} />
    </>
  );
}

function Prove({ pending, onDone }: Omit<Props, 'onCancel'>) {
  const { ticket, methods, passkeyOptions } = pending;
  const [isRecovery, setRecovery] = useState(false);
  const field = isRecovery ? 'recoveryCode' : 'code';
  const hasCode = isRecovery || methods.includes('TOTP');
  return (
    <div className="flex flex-col gap-4">
      {!isRecovery && passkeyOptions !== null && (
        // The service writes it for the browser.
        <Passkey {...{ ticket, onDone }} options={passkeyOptions as PublicKeyCredentialRequestOptionsJSON} />
      )}
      {hasCode && <Code key={field} {...{ ticket, field, onDone }} />}
      {methods.includes('RECOVERY_CODE') && (
        <Button onClick={() => setRecovery(!isRecovery)}>
          {isRecovery ? 'Use your second factor' : 'Use a recovery code'}
        </Button>
      )}
    </div>
  );
}

interface PasskeyProps {
  readonly ticket: string;
  readonly options: PublicKeyCredentialRequestOptionsJSON;
  readonly onDone: () => void;
}

function Passkey({ ticket, options, onDone }: PasskeyProps) {
  const { mutate, busy, error } = useServiceMutation(COMPLETE_SIGN_IN);
  const [isCancelled, setCancelled] = useState(false);
  const use = async () => {
    setCancelled(false);
    const passkey = await startAuthentication({ optionsJSON: options }).catch(() => undefined);
    if (!passkey) return setCancelled(true);
    if (await mutate({ input: { ticket, passkey, cookie: true } })) onDone();
  };
  return (
    <>
      {isCancelled && <Notice tone="warn">The browser used no passkey. Try again.</Notice>}
      <ErrorNotice error={error} />
      <Button look="primary" busy={busy} onClick={use}>
        Use passkey
      </Button>
    </>
  );
}

const schema = z.object({ code: requiredText('the code', 100) });

interface CodeProps {
  readonly ticket: string;
  readonly field: 'code' | 'recoveryCode';
  readonly onDone: () => void;
}

function Code({ ticket, field, onDone }: CodeProps) {
  const form = useMutationForm({
    schema,
    defaultValues: { code: '' },
    mutation: COMPLETE_SIGN_IN,
    variables: ({ code }) => ({ input: { ticket, cookie: true, [field]: code } }),
    onSuccess: onDone,
  });
  const { control, busy } = form;
  const isApp = field === 'code';
  return (
    <Form form={form}>
      <FormTextField
        control={control}
        name="code"
        label={isApp ? 'Code from your authenticator app' : 'Recovery code'}
        autoComplete={isApp ? 'one-time-code' : 'off'}
        required
        {...(isApp && { inputMode: 'numeric' as const })}
      />
      <FormError form={form} />
      <Button type="submit" look="primary" busy={busy}>
        Sign in
      </Button>
    </Form>
  );
}
