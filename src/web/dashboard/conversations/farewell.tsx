import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { saveFile } from '../download.ts';
import { fetchExport } from '../export.ts';
import { useEnvironment, useGo } from '../location.ts';
import { useChange } from '../requests.ts';
import { DELETE_CONVERSATION } from './documents.ts';

/** Takes along all that is kept of a conversation, as lines of JSON. */
export function ExportButton({ id }: { readonly id: string }) {
  const environment = useEnvironment();
  const [state, setState] = useState<'ready' | 'busy' | 'failed'>('ready');
  const take = async () => {
    setState('busy');
    try {
      saveFile(`conversation-${id}.ndjson`, await fetchExport(`/v1/conversations/${id}/export`, environment));
      setState('ready');
    } catch {
      setState('failed');
    }
  };
  return (
    <Button onClick={take} busy={state === 'busy'}>
      <span aria-live="polite">{state === 'failed' ? 'Export failed: try again' : 'Export'}</span>
    </Button>
  );
}

/** Deletes a conversation, once it was asked whether that is meant. */
export function Deletion({ id, name }: { readonly id: string; readonly name: string }) {
  const go = useGo();
  const { make, busy, fault, forget } = useChange(DELETE_CONVERSATION);
  const [isAsking, ask] = useState(false);
  const close = () => {
    ask(false);
    forget();
  };
  return (
    <>
      <Button look="danger" onClick={() => ask(true)}>
        Delete
      </Button>
      {isAsking && (
        <Dialog title="Delete this conversation?" onClose={close}>
          <div className="flex flex-col gap-4">
            <p>
              “{name}” goes with all its messages and turns, for ever. The workflow log keeps what its turns cost. A
              trigger that started it stays used.
            </p>
            {fault && <Notice tone="danger">{fault.message}</Notice>}
            <div className="flex flex-wrap justify-end gap-2">
              <Button onClick={close}>Keep it</Button>
              <Button look="danger" busy={busy} onClick={async () => (await make({ id })) && go('/conversations')}>
                Delete for ever
              </Button>
            </div>
          </div>
        </Dialog>
      )}
    </>
  );
}
