import { createClient } from 'graphql-sse';
import { asParleyError, ParleyError } from './error.ts';
import { type ConversationState, fromWireItem, type HistoryItem, type WireItem } from './history.ts';
import { errorFrom, errorOf } from './http.ts';
import type { Settings } from './options.ts';
import { fromGraphState, type GraphState, ITEM_FIELDS, STATE_FIELDS } from './read-history.ts';
import { watchedAnswer } from './watched.ts';

/** The service tells the state at once: where nothing comes for so long, something on the way holds events back. */
const FIRST_EVENT_MS = 15_000;

/** The document of the feed. */
export const FEED = `subscription ($id: UUID!, $deployment: UUID!, $after: String) {
  conversationChanged(conversationId: $id, deploymentId: $deployment, after: $after) {
    cursor items { ${ITEM_FIELDS} } conversation { ${STATE_FIELDS} } } }`;

/** What has changed of a conversation. */
export interface Change {
  readonly items: readonly HistoryItem[];
  readonly state: ConversationState;
  readonly cursor: string;
}

interface FeedData extends Record<string, unknown> {
  readonly conversationChanged: {
    readonly cursor: string;
    readonly items: readonly WireItem[];
    readonly conversation: GraphState;
  };
}

/** That server-sent events do not come through here, whatever the reason. */
export class FeedImpossible extends Error {}

/**
 * Tells each change behind a cursor, until the stream ends: at its end, by a server that shuts down for example, it
 * resolves.
 * @throws {FeedImpossible} @throws {ParleyError}
 */
export async function readFeed(
  settings: Settings,
  { conversationId, after, signal }: { conversationId: string; after: string; signal: AbortSignal },
  onChange: (change: Change) => void,
): Promise<void> {
  let fault: Error | undefined;
  const client = createClient({
    url: `${settings.baseUrl}/graphql`,
    headers: settings.headers,
    credentials: settings.credentials,
    retryAttempts: 0,
    fetchFn: async (url: string, init: RequestInit) => {
      const response = await settings.fetch(url, init);
      fault = await faultOf(response);
      if (!fault) return watchedAnswer(response);
      response.body?.cancel().catch(() => {});
      throw fault;
    },
  });
  const variables = { id: conversationId, deployment: settings.deploymentId(), after };
  await new Promise<void>((resolve, reject) => {
    const end = (error?: unknown) => {
      clearTimeout(mute);
      signal.removeEventListener('abort', leave);
      client.dispose();
      if (error === undefined) resolve();
      else reject(fault ?? (error instanceof FeedImpossible ? error : asParleyError(error)));
    };
    const leave = () => end(new DOMException('closed', 'AbortError'));
    const mute = setTimeout(() => end(new FeedImpossible('no event came')), FIRST_EVENT_MS);
    signal.addEventListener('abort', leave, { once: true });
    client.subscribe<FeedData>(
      { query: FEED, variables },
      {
        next({ data, errors }) {
          clearTimeout(mute);
          if (errors || !data) return end(errorFrom({ errors }, { status: 200, requestId: null }));
          if (signal.aborted) return;
          const { cursor, items, conversation } = data.conversationChanged;
          onChange({ cursor, items: items.map(fromWireItem), state: fromGraphState(conversation) });
        },
        error: end,
        complete: () => end(),
      },
    );
    if (signal.aborted) leave();
  });
}

/** What an answer says that is no stream of events. */
async function faultOf(response: Response): Promise<Error | undefined> {
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
  if (response.ok && isStream) return response.body ? undefined : new FeedImpossible('no streamed answers');
  const error = response.ok ? undefined : await errorOf(response);
  // What a Parley service refuses has a code of its own; anything else stands between it and us.
  const isTransient = error && (error.code !== 'invalid_response' || error.status >= 500);
  return isTransient ? error : new FeedImpossible('no stream of events');
}

/** Whether asking again is of no use. */
export function isFinal(error: unknown): error is ParleyError {
  return error instanceof ParleyError && error.status >= 400 && error.status < 500 && error.status !== 429;
}
