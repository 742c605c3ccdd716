import type { ResultOf } from 'gql.tada';
import { stringifyDocument } from 'urql';
import { followSubscription } from '../../../sdk/index.ts';
import type { Environment } from '../location.ts';
import { ACTIVITY } from './documents.ts';

/** What changed in the environment since the previous event. */
export type Activity = ResultOf<typeof ACTIVITY>['workspaceActivity'];

interface Listener {
  readonly onActivity: (activity: Activity) => void;
  /** Whether events arrive now. */
  readonly onConnected: (connected: boolean) => void;
  /** The service ended or rejected the subscription, for example because the session has expired. */
  readonly onEnded: () => void;
}

/** Follows the environment until `signal` is aborted. */
export function followActivity(environment: Environment, signal: AbortSignal, listener: Listener): Promise<void> {
  return followSubscription<ResultOf<typeof ACTIVITY>>({
    baseUrl: '',
    headers: { 'x-environment': environment },
    query: stringifyDocument(ACTIVITY),
    signal,
    onEvent({ workspaceActivity }) {
      listener.onConnected(true);
      listener.onActivity(workspaceActivity);
      return workspaceActivity.cursor;
    },
    onDisconnect(error) {
      listener.onConnected(false);
      if (error?.code !== 'connection_error') listener.onEnded();
    },
  });
}
