import { followSubscription, type ParleyError } from '../../sdk/index.ts';
import { FOLLOW_PRESENCE, REPORT_TYPING } from './presence-documents.ts';
import type { UserSession } from './user-session.ts';

/** What a page tells and hears about who types. Its failures never reach the page: the chat works without it. */
export interface Presence {
  /** Reports whether the user types, after the reports before. */
  report(conversationId: string, isTyping: boolean): void;
  /** Calls back with the name of the person who types, or with null. Returns a function that ends it. */
  follow(conversationId: string, onTypist: (name: string | null) => void): () => void;
}

interface PresenceEvent {
  readonly presenceChanged: {
    readonly people: readonly { readonly displayName: string | null; readonly isTyping: boolean }[];
  };
}

/** `user` is undefined for a visitor, whom a cookie identifies. */
export function createPresence(deploymentId: string, user: UserSession | undefined): Presence {
  const baseUrl = location.origin;
  const headers = async (): Promise<Record<string, string>> =>
    user ? { authorization: `Bearer ${await user.currentToken()}`, 'x-deployment': deploymentId } : {};
  let reported: Promise<unknown> = Promise.resolve();

  async function post(variables: object): Promise<void> {
    const response = await fetch(`${baseUrl}/graphql`, {
      method: 'POST',
      headers: { ...(await headers()), 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query: REPORT_TYPING, variables }),
    });
    if (response.status === 401) user?.forgetToken();
    await response.body?.cancel();
  }

  return {
    report(conversationId, isTyping) {
      reported = reported.then(() => post({ conversationId, isTyping })).catch(() => {});
    },
    follow(conversationId, onTypist) {
      const end = new AbortController();
      followSubscription<PresenceEvent>({
        ...{ baseUrl, headers, query: FOLLOW_PRESENCE, variables: { conversationId }, signal: end.signal },
        onEvent({ presenceChanged: { people } }) {
          if (!end.signal.aborted) onTypist(people.find(({ isTyping }) => isTyping)?.displayName ?? null);
          // The first event of each connection has all who are there.
          return '';
        },
        onDisconnect(error) {
          // Until the next connection nobody knows.
          if (!end.signal.aborted) onTypist(null);
          if (error?.status === 401 && user) user.forgetToken();
          else if (error && !isTemporary(error)) throw error;
        },
      }).catch(() => {});
      return () => end.abort();
    },
  };
}

/** Any other error repeats itself: the conversation is gone, or a proxy blocks event streams. */
function isTemporary({ code, status }: ParleyError): boolean {
  return code === 'connection_error' || status === 429 || status >= 500;
}
