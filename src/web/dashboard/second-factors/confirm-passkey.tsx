import { type PublicKeyCredentialCreationOptionsJSON, startRegistration } from '@simplewebauthn/browser';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ErrorNotice } from '../frame/loaded.tsx';
import { useServiceMutation } from '../requests.ts';
import { CONFIRM_SECOND_FACTOR } from './documents.ts';

interface Props {
  readonly options: PublicKeyCredentialCreationOptionsJSON;
  readonly input: { readonly enrolmentId: string; readonly ticket?: string };
  readonly onConfirmed: (recoveryCodes: readonly string[] | null) => void;
  /** A response of the browser works once, so another attempt starts from the beginning. */
  readonly onAgain: () => void;
}

/** Creates a passkey with the browser. */
export function ConfirmPasskey({ options, input, onConfirmed, onAgain }: Props) {
  const { mutate, busy, error } = useServiceMutation(CONFIRM_SECOND_FACTOR);
  const [isCancelled, setCancelled] = useState(false);
  const create = async () => {
    setCancelled(false);
    const passkey = await startRegistration({ optionsJSON: options }).catch(() => undefined);
    if (!passkey) return setCancelled(true);
    const confirmed = await mutate({ input: { ...input, passkey } });
    if (confirmed) onConfirmed(confirmed.recoveryCodes);
  };
  return (
    <div className="flex flex-col gap-4">
      <p>Your browser asks for your fingerprint, face, PIN or security key.</p>
      {isCancelled && <Notice tone="warn">The browser created no passkey. Try again.</Notice>}
      <ErrorNotice error={error} />
      {error ? (
        <Button onClick={onAgain}>Start again</Button>
      ) : (
        <Button look="primary" busy={busy} onClick={create}>
          Create passkey
        </Button>
      )}
    </div>
  );
}
