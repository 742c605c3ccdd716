import type { ResultOf } from 'gql.tada';
import { createClient, NetworkError } from 'graphql-sse';
import { stringifyDocument } from 'urql';
import type { Environment } from '../location.ts';
import { ACTIVITY } from './documents.ts';

/** What has changed in the environment since the last time. */
export type Activity = ResultOf<typeof ACTIVITY>['workspaceActivity'];

/** Between two attempts to connect, which grow apart. */
const PAUSES_MS = [500, 1_000, 2_000, 5_000, 10_000];

interface Listener {
  readonly onActivity: (activity: Activity) => void;
  /** Whether events come now. */
  readonly onConnected: (connected: boolean) => void;
  /** The service has ended or refused it: it stops, or whoever asks may not any more. */
  readonly onEnded: () => void;
}

/** Follows the environment until `signal` ends it: after each loss of the connection it goes on behind the last event. */
export async function followActivity(environment: Environment, signal: AbortSignal, listener: Listener): Promise<void> {
  const client = createClient({ url: '/graphql', headers: { 'x-environment': environment }, retryAttempts: 0 });
  let after: string | null = null;
  let failures = 0;
  while (!signal.aborted) {
    try {
      for await (const activity of activities(client, after, signal)) {
        failures = 0;
        after = activity.cursor;
        listener.onConnected(true);
        listener.onActivity(activity);
      }
      failures += 1;
      if (!signal.aborted) listener.onEnded();
    } catch (error) {
      failures += 1;
      if (!signal.aborted && isAnswer(error)) listener.onEnded();
    }
    if (signal.aborted) return;
    listener.onConnected(false);
    await pause(PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] ?? 0, signal);
  }
}

/** Whether the service said so, and not the way to it. */
function isAnswer(error: unknown): boolean {
  const isUnanswered = error instanceof NetworkError && !(error.response instanceof Response);
  return !isUnanswered;
}

async function* activities(
  client: ReturnType<typeof createClient>,
  after: string | null,
  signal: AbortSignal,
): AsyncGenerator<Activity> {
  const query = stringifyDocument(ACTIVITY);
  const results = client.iterate<ResultOf<typeof ACTIVITY>>({ query, variables: { after } });
  const leave = () => void results.return?.();
  signal.addEventListener('abort', leave);
  try {
    for await (const { data, errors } of results) {
      if (!data) throw new Error(errors?.[0]?.message);
      yield data.workspaceActivity;
    }
  } finally {
    signal.removeEventListener('abort', leave);
    leave();
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
