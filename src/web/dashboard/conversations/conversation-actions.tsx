import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { retried } from '../../ui/load.ts';
import { saveFile } from '../download.ts';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { useEnvironment, useGo } from '../location.ts';
import { useServiceMutation } from '../requests.ts';
import { DELETE_CONVERSATION } from './documents.ts';

/** Downloads a conversation as newline-delimited JSON. */
export function ExportButton({ id }: { readonly id: string }) {
  const environment = useEnvironment();
  const [state, setState] = useState<'ready' | 'busy' | 'failed'>('ready');
  const download = async () => {
    setState('busy');
    try {
      const { fetchExport } = await retried(() => import('../export.ts'));
      saveFile(`conversation-${id}.ndjson`, await fetchExport(`/v1/conversations/${id}/export`, environment));
      setState('ready');
    } catch {
      setState('failed');
    }
  };
  return (
    <Button onClick={download} busy={state === 'busy'}>
      <span aria-live="polite">{state === 'failed' ? 'Export failed. Try again' : 'Export'}</span>
    </Button>
  );
}

/** Deletes a conversation after a confirmation. */
export function DeleteButton({ id, name }: { readonly id: string; readonly name: string }) {
  const go = useGo();
  const { mutate, busy, error, reset } = useServiceMutation(DELETE_CONVERSATION);
  const [isConfirming, setConfirming] = useState(false);
  const close = () => {
    setConfirming(false);
    reset();
  };
  const confirm = async () => {
    if (await mutate({ id })) go('/conversations');
  };
  return (
    <>
      <Button look="danger" onClick={() => setConfirming(true)}>
        Delete
      </Button>
      {isConfirming && (
        <ConfirmDialog
          title="Delete this conversation?"
          verb="Delete permanently"
          onConfirm={confirm}
          onClose={close}
          {...{ busy, error }}
        >
          <p>
            “{name}” is deleted with all its messages and turns. You cannot undo this. The workflow log keeps the usage
            of its turns. A trigger that started it cannot be used again.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
