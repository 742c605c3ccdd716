import type { ChildProcess } from 'node:child_process';
import { send } from './helper-messages.ts';
import { KEY, startHelper } from './processes.ts';

/** An order to the process of the subscribers. */
export type SubscriberOrder =
  | {
      readonly kind: 'open';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly path: string;
      readonly body: string;
      /** The number of open subscribers afterwards. */
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

/** The arrival times of an event, in milliseconds since the request that caused it. */
export type Arrival = Readonly<Record<'first' | 'median' | 'last', number>>;

/** Subscribers of one server with one key, each with its own connection, in a separate process. */
export interface Subscribers {
  /** Opens the missing subscribers, with a key. They are subscribed when it resolves. */
  open(count: number, key?: string): Promise<void>;
  /** Causes an event and waits until all have it. @throws if one does not receive it */
  event(): Promise<Arrival>;
  /** Ends the process and all its connections. */
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
    async open(count, key = KEY) {
      const headers = { ...subscribe.headers, 'x-api-key': key };
      await send<SubscriberOrder, object>(child, { kind: 'open', url, ...subscribe, headers, count });
    },
    event: () => send<SubscriberOrder, Arrival>(child, { kind: 'event', url, ...cause }),
    close: () => void child.kill('SIGTERM'),
  };
}
