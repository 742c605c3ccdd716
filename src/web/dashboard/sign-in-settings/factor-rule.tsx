import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Badge } from '../../ui/notice.tsx';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { useServiceMutation } from '../requests.ts';
import { useMe } from '../session/session.ts';
import { UPDATE_SIGN_IN_SETTINGS } from './documents.ts';

/** Whether members who sign in with a password need a second factor. */
export function FactorRule({ required }: { readonly required: boolean }) {
  const isOwner = useMe().role === 'OWNER';
  const [isOpen, setOpen] = useState(false);
  const { mutate, busy, error, reset } = useServiceMutation(UPDATE_SIGN_IN_SETTINGS);
  const onClose = () => {
    reset();
    setOpen(false);
  };
  const confirm = async () => {
    if (await mutate({ input: { secondFactorRequired: !required } })) onClose();
  };
  const verb = required ? 'Make second factors optional' : 'Require second factors';
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p>{required ? <Badge tone="accent">Second factor required</Badge> : <Badge>Second factor optional</Badge>}</p>
      {isOwner ? (
        <Button onClick={() => setOpen(true)}>{verb}</Button>
      ) : (
        <span className="text-sm text-muted">Only owners can change this.</span>
      )}
      {isOpen && (
        <ConfirmDialog title={`${verb}?`} look="primary" onConfirm={confirm} {...{ verb, busy, error, onClose }}>
          <p>
            {required
              ? 'Members without a second factor can sign in with their password alone.'
              : 'Sessions that a password alone opened end now. Members without a second factor set one up when they sign in again. Single sign-on is not affected. You need a second factor yourself.'}
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}
