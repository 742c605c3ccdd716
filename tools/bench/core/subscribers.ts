import type { ChildProcess } from 'node:child_process';
import { ask } from './asking.ts';
import { KEY, startHelper } from './processes.ts';

/** What the subscribers' process is asked for. */
export type SubscriberOrder =
  | {
      readonly kind: 'open';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly path: string;
      readonly body: string;
      /** How many are to be open then. */
      readonly count: number;
    }
  | {
      readonly kind: 'event';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** The request that causes the event. */
      readonly path: string;
      readonly body: string;
    };

/** When an event had reached subscribers, in milliseconds since the request that caused it was sent. */
export type Arrival = Readonly<Record<'first' | 'median' | 'last', number>>;

/** Subscribers of one server by one key, each on a connection of its own, in a process of their own. */
export interface Subscribers {
  /** Opens as many as are missing. They are subscribed once it resolves. */
  open(count: number): Promise<void>;
  /** Causes an event, and waits until all have it. @throws where one does not get it */
  event(): Promise<Arrival>;
  /** Ends the process, and with it all connections. */
  close(): void;
}

const HEADERS = { 'x-api-key': KEY, 'content-type': 'application/json' } as const;

export function startSubscribers(url: string): Subscribers {
  const child: ChildProcess = startHelper('subscribers');
  const subscribe = {
    headers: { ...HEADERS, accept: 'text/event-stream' },
    path: '/graphql',
    body: JSON.stringify({ query: 'subscription { eventAppended { cursor event { id type } } }' }),
  };
  const cause = {
    headers: HEADERS,
    path: '/v1/resources',
    body: JSON.stringify({ type: 'contact', fields: { name: 'Ann' } }),
  };
  return {
    async open(count) {
      await ask<SubscriberOrder, object>(child, { kind: 'open', url, ...subscribe, count });
    },
    event: () => ask<SubscriberOrder, Arrival>(child, { kind: 'event', url, ...cause }),
    close: () => void child.kill('SIGTERM'),
  };
}
