import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { sizeOf } from '../../ui/size.ts';
import { saveFile } from '../download.ts';
import { fetchExport } from '../export.ts';
import { useEnvironment } from '../location.ts';

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly bytes: number }
  | { readonly kind: 'done'; readonly bytes: number }
  | { readonly kind: 'failed'; readonly message: string };

/** Downloads everything that the environment keeps. */
export function ExportButton() {
  const environment = useEnvironment();
  const [state, setState] = useState<State>({ kind: 'idle' });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    const leave = new AbortController();
    running.current = leave;
    setState({ kind: 'running', bytes: 0 });
    try {
      const onProgress = (bytes: number) => setState({ kind: 'running', bytes });
      const content = await fetchExport('/v1/export', environment, { signal: leave.signal, onProgress });
      saveFile(`parley-${environment}-${new Date().toISOString().slice(0, 10)}.ndjson`, content);
      setState({ kind: 'done', bytes: content.size });
    } catch (error) {
      if (leave.signal.aborted) setState({ kind: 'idle' });
      else setState({ kind: 'failed', message: error instanceof Error ? error.message : 'It could not be exported.' });
    }
  };
  const isRunning = state.kind === 'running';
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">
        Resources, integrations, webhook endpoints, triggers, conversations, the workflow log and events of the{' '}
        {environment} environment, as lines of JSON. Keys, passwords, header values and signing secrets are not in it.
      </p>
      {state.kind === 'failed' && <Notice tone="danger">{state.message}</Notice>}
      {state.kind === 'done' && <Notice tone="ok">Exported whole: {sizeOf(state.bytes)}.</Notice>}
      <div className="flex flex-wrap items-center gap-3">
        <Button busy={isRunning} onClick={start}>
          Export the {environment} environment
        </Button>
        {isRunning && (
          <>
            <Button look="quiet" onClick={() => running.current?.abort()}>
              Stop
            </Button>
            <span className="text-sm text-muted">{sizeOf(state.bytes)} so far</span>
          </>
        )}
      </div>
    </div>
  );
}
