import { useMemo, useState } from 'react';
import { createClient, type ParleyClient } from '../../../sdk/index.ts';
import { useAgent } from '../../../sdk/react/index.ts';
import { Timeline } from '../../timeline/timeline.tsx';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { type Environment, useEnvironment } from '../location.ts';

interface Props {
  readonly id: string;
  readonly deploymentId: string;
}

/** What has been said and done, from the newest page on backwards, and what comes as it comes. */
export function LiveTimeline({ id, deploymentId }: Props) {
  const environment = useEnvironment();
  const client = useMemo(() => clientOf(environment, deploymentId), [environment, deploymentId]);
  const { history, historyPageInfo, status, error, loadMoreHistory, open } = useAgent(client, id, { limit: 50 });
  const [isShort, setShort] = useState(false);
  const showOlder = () =>
    loadMoreHistory().then(
      () => setShort(false),
      () => setShort(true),
    );
  // The state also tells how the latest turn ended; that stands beside the timeline.
  const isUnread = error && historyPageInfo === null;
  if (isUnread) {
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
      {isShort && <Notice tone="danger">Older items could not be read.</Notice>}
      <Timeline items={history} raw />
      {(status === 'running' || status === 'loading') && (
        <Waiting>{status === 'running' ? 'The assistant is at work' : 'Loading'}</Waiting>
      )}
    </div>
  );
}

/** Asks with the session of this browser, in the environment that the dashboard shows. */
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
