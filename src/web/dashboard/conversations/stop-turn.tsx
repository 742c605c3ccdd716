import { useState } from 'react';
import { Button, Loading } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { ErrorNotice } from '../frame/loaded.tsx';
import { useServiceMutation } from '../requests.ts';
import { STOP_TURN } from './documents.ts';

interface Props {
  /** The ID of the conversation. */
  readonly id: string;
  readonly canWrite: boolean;
}

/** Says that a turn is running, with a button that stops it. */
export function RunningTurn({ id, canWrite }: Props) {
  const { mutate, busy, error } = useServiceMutation(STOP_TURN);
  return (
    <>
      <ErrorNotice error={error} />
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Loading>The assistant is responding</Loading>
        {canWrite && (
          <Button small busy={busy} onClick={() => mutate({ id })}>
            {!busy && <Icon name="stop" />} Stop turn
          </Button>
        )}
      </div>
    </>
  );
}

/** Stops a waiting turn after a confirmation. */
export function StopWaitingTurn({ id }: Pick<Props, 'id'>) {
  const { mutate, busy, error, reset } = useServiceMutation(STOP_TURN);
  const [isConfirming, setConfirming] = useState(false);
  const close = () => {
    setConfirming(false);
    reset();
  };
  const confirm = async () => {
    if (await mutate({ id })) close();
  };
  return (
    <div className="mt-5 flex flex-wrap items-center justify-between gap-3 border-t border-line pt-4">
      <p className="text-sm text-muted">No output available? You can stop the turn instead.</p>
      <Button look="danger" onClick={() => setConfirming(true)}>
        Stop turn
      </Button>
      {isConfirming && (
        <ConfirmDialog
          title="Stop this turn?"
          verb="Stop turn"
          cancel="Keep waiting"
          onConfirm={confirm}
          onClose={close}
          {...{ busy, error }}
        >
          <p>
            The waiting calls are cancelled, and later outputs are rejected. The conversation continues with its next
            message.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}
