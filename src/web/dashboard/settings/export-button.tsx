import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { formatBytes } from '../../ui/numbers.ts';
import { saveFile } from '../download.ts';
import { fetchExport } from '../export.ts';
import { useEnvironment } from '../location.ts';

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly bytes: number }
  | { readonly kind: 'done'; readonly bytes: number }
  | { readonly kind: 'failed'; readonly message: string };

/** Downloads all data of the environment. */
export function ExportButton() {
  const environment = useEnvironment();
  const [state, setState] = useState<State>({ kind: 'idle' });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    const controller = new AbortController();
    running.current = controller;
    setState({ kind: 'running', bytes: 0 });
    try {
      const onProgress = (bytes: number) => setState({ kind: 'running', bytes });
      const content = await fetchExport('/v1/export', environment, { signal: controller.signal, onProgress });
      saveFile(`parley-${environment}-${new Date().toISOString().slice(0, 10)}.ndjson`, content);
      setState({ kind: 'done', bytes: content.size });
    } catch (error) {
      if (controller.signal.aborted) setState({ kind: 'idle' });
      else
        setState({ kind: 'failed', message: error instanceof Error ? error.message : 'The export failed. Try again.' });
    }
  };
  const isRunning = state.kind === 'running';
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">
        Contains the resources, integrations, webhook endpoints, triggers, conversations, workflow log and events of the{' '}
        {environment} environment, as newline-delimited JSON. The file contains no keys, passwords, header values or
        signing secrets.
      </p>
      {state.kind === 'failed' && <Notice tone="danger">{state.message}</Notice>}
      {state.kind === 'done' && <Notice tone="ok">Export complete: {formatBytes(state.bytes)}.</Notice>}
      <div className="flex flex-wrap items-center gap-3">
        <Button busy={isRunning} onClick={start}>
          Export the {environment} environment
        </Button>
        {isRunning && (
          <>
            <Button look="quiet" onClick={() => running.current?.abort()}>
              Stop
            </Button>
            <span className="text-sm text-muted">{formatBytes(state.bytes)} received</span>
          </>
        )}
      </div>
    </div>
  );
}
