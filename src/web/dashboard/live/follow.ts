import type { ResultOf } from 'gql.tada';
import { stringifyDocument } from 'urql';
import { followSubscription } from '../../../sdk/index.ts';
import type { Environment } from '../location.ts';
import { PASSING } from '../request-error.ts';
import { ACTIVITY } from './documents.ts';
import { inOneTab } from './one-tab.ts';

/** What changed in the environment since the previous event. */
export type Activity = ResultOf<typeof ACTIVITY>['workspaceActivity'];

export interface Listener {
  readonly onActivity: (activity: Activity) => void;
  /** Whether events arrive now. */
  readonly onConnected: (connected: boolean) => void;
  /** The service ended or rejected the subscription, for example because the session has expired. */
  readonly onEnded: () => void;
}

/** What the tab with the connection sends to the others. A new tab asks for the latest counters. */
type Sent =
  | { readonly kind: 'activity'; readonly activity: Activity }
  | { readonly kind: 'lost' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'question' };

interface Followed {
  readonly workspaceId: string;
  readonly userId: string;
  readonly environment: Environment;
}

/** Follows the environment until `end` is aborted. The tabs of a user share one connection. */
export async function followActivity(followed: Followed, end: AbortSignal, listener: Listener): Promise<void> {
  const { workspaceId, userId, environment } = followed;
  const name = `activity ${workspaceId} ${userId} ${environment}`;
  const channel = new BroadcastChannel(name);
  let latest: Activity | undefined;
  let hasConnection = false;
  let isConnected = false;
  const receive = (sent: Sent) => {
    if (end.aborted) return;
    if (sent.kind === 'activity') {
      latest = sent.activity;
      isConnected = true;
      listener.onConnected(true);
      listener.onActivity(latest);
    } else if (sent.kind === 'lost') {
      isConnected = false;
      listener.onConnected(false);
    } else if (sent.kind === 'ended') listener.onEnded();
    else if (latest && hasConnection && isConnected) {
      channel.postMessage({ kind: 'activity', activity: { ...latest, conversations: [], events: [] } } satisfies Sent);
    }
  };
  const send = (sent: Sent) => {
    channel.postMessage(sent);
    receive(sent);
  };
  channel.onmessage = ({ data }: MessageEvent<Sent>) => receive(data);
  channel.postMessage({ kind: 'question' } satisfies Sent);
  await inOneTab(name, end, async (signal) => {
    hasConnection = true;
    await followSubscription<ResultOf<typeof ACTIVITY>>({
      baseUrl: '',
      headers: { 'x-environment': environment },
      query: stringifyDocument(ACTIVITY),
      after: latest?.cursor,
      signal,
      onEvent({ workspaceActivity: activity }) {
        if (!signal.aborted) send({ kind: 'activity', activity });
        return activity.cursor;
      },
      onDisconnect(error) {
        send({ kind: 'lost' });
        if (!error || !PASSING.includes(error.code)) send({ kind: 'ended' });
      },
    });
    hasConnection = false;
  });
  channel.close();
}
