import { useMemo, useState } from 'react';
import { createClient, type ParleyClient } from '../../../sdk/index.ts';
import { useAgent } from '../../../sdk/react/index.ts';
import { LiveMessage } from '../../timeline/live-message.tsx';
import { Timeline } from '../../timeline/timeline.tsx';
import { Button, Loading } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { type Environment, useEnvironment } from '../location.ts';
import { RunningTurn } from './stop-turn.tsx';

interface Props {
  readonly id: string;
  readonly deploymentId: string;
  readonly canWrite: boolean;
}

/** The items of a conversation, updated live. It starts with the latest page. */
export function LiveTimeline({ id, deploymentId, canWrite }: Props) {
  const environment = useEnvironment();
  const client = useMemo(() => clientOf(environment, deploymentId), [environment, deploymentId]);
  const { history, historyPageInfo, live, status, error, loadMoreHistory, open } = useAgent(client, id, { limit: 50 });
  const [isOlderFailed, setOlderFailed] = useState(false);
  const showOlder = () =>
    loadMoreHistory().then(
      () => setOlderFailed(false),
      () => setOlderFailed(true),
    );
  // The error may also be that of the latest turn, which the details show.
  const isLoadError = error && historyPageInfo === null;
  if (isLoadError) {
    const again = (
      <Button small onClick={() => open(id).catch(() => {})}>
        Try again
      </Button>
    );
    return (
      <Notice tone="danger" action={again}>
        {error.message}
      </Notice>
    );
  }
  return (
    <div className="flex flex-col gap-4" aria-busy={status === 'loading' || undefined}>
      {historyPageInfo?.hasMore && (
        <Button small className="self-center" onClick={showOlder}>
          Show older
        </Button>
      )}
      {isOlderFailed && <Notice tone="danger">Older items could not be loaded. Try again.</Notice>}
      <Timeline items={history} raw />
      <LiveMessage live={live} />
      {status === 'running' && <RunningTurn {...{ id, canWrite }} />}
      {status === 'loading' && <Loading />}
    </div>
  );
}

/** A client that uses the browser's session and the dashboard's environment. */
function clientOf(environment: Environment, deploymentId: string): ParleyClient {
  return createClient({
    baseUrl: location.origin,
    deploymentId,
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set('x-environment', environment);
      return fetch(input, { ...init, headers });
    },
  });
}
