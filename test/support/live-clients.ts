import { ApolloClient, type ApolloLink, InMemoryCache } from '@apollo/client/core';
import { type Exchange, Client as UrqlClient } from '@urql/core';
import { EventSource } from 'eventsource';
import { parse } from 'graphql';
import { createClient, type ExecutionResult, type RequestParams, type Sink } from 'graphql-sse';
import relay from 'relay-runtime';
import { followSubscription } from '../../src/sdk/index.ts';
import { documentedModule } from './documented-module.ts';

/** The subscription of every client. */
const FEED = 'subscription Feed($after: String) { eventAppended(after: $after) { cursor event { resourceId } } }';

interface Data {
  readonly eventAppended: { readonly cursor: string; readonly event: { readonly resourceId: string } };
}

/** What a client reports to its application. */
export interface Application {
  readonly url: string;
  readonly key: string;
  /** An event arrived. */
  received(resourceId: string): void;
  /** The subscription is over: it completed, or failed with an error. */
  ended(reason: unknown): void;
}

/** Subscribes with an unmodified client library. Returns a function that unsubscribes. */
export type Follow = (application: Application) => Promise<() => void> | (() => void);

type ResultSink = Sink<ExecutionResult>;

const GUIDE = 'docs/live-updates.md';

const authorization = ({ key }: Application) => ({ authorization: `Bearer ${key}` });

interface LiveModule {
  readonly follow: (request: RequestParams, sink: ResultSink) => () => void;
  readonly exchange: Exchange;
}

const guide = (application: Application) => documentedModule<LiveModule>(GUIDE, 'exchange', application);

/** The clients that must survive a restart of their process, by name. */
export const LIVE_CLIENTS: Readonly<Record<string, Follow>> = {
  async 'graphql-sse'(application) {
    const { follow } = await guide(application);
    return follow({ query: FEED }, sinkOf(application));
  },

  'graphql-sse with one connection': (application) => {
    const client = createClient({
      url: `${application.url}/graphql/stream`,
      // A function, because the client adds its token to the object.
      headers: () => authorization(application),
      singleConnection: true,
    });
    const variables: Record<string, unknown> = {};
    const sink = sinkOf(application);
    const next = (result: ExecutionResult) => {
      variables.after = (result.data as Data | undefined)?.eventAppended.cursor ?? variables.after;
      sink.next(result);
    };
    return client.subscribe({ query: FEED, variables }, { ...sink, next });
  },

  async 'Apollo Client'(application) {
    const { link } = await documentedModule<{ link: ApolloLink }>(GUIDE, 'link', application);
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    const feed = client.subscribe<Data>({ query: parse(FEED) }).subscribe({
      next({ data, error }) {
        if (error) application.ended(error);
        if (data) application.received(data.eventAppended.event.resourceId);
      },
      error: application.ended,
      complete: () => application.ended('complete'),
    });
    return () => {
      feed.unsubscribe();
      client.stop();
    };
  },

  async urql(application) {
    const { exchange } = await guide(application);
    const client = new UrqlClient({ url: application.url, exchanges: [exchange], preferGetMethod: false });
    const feed = client.subscription<Data>(FEED, {}).subscribe(({ data, error, hasNext }) => {
      if (data) application.received(data.eventAppended.event.resourceId);
      if (error || !hasNext) application.ended(error ?? 'complete');
    });
    return () => feed.unsubscribe();
  },

  async Relay(application) {
    const { follow } = await guide(application);
    const network = relay.Network.create(
      () => Promise.reject(new Error('only subscriptions')),
      ({ text }, variables) =>
        relay.Observable.create((sink) => follow({ query: text ?? '', variables }, sink as unknown as ResultSink)),
    );
    const request = {
      id: null,
      text: FEED,
      name: 'Feed',
      operationKind: 'subscription',
      metadata: {},
      cacheID: 'feed',
    };
    const feed = network.execute(request as never, {}, {}).subscribe({
      next: (result) => application.received((result as { data: Data }).data.eventAppended.event.resourceId),
      error: application.ended,
      complete: () => application.ended('complete'),
    });
    return () => feed.unsubscribe();
  },

  EventSource: (application) => {
    const source = new EventSource(`${application.url}/graphql?query=${encodeURIComponent(FEED)}`, {
      fetch: (input, init) =>
        fetch(input, { ...(init as RequestInit), headers: { ...init.headers, ...authorization(application) } }),
    });
    source.addEventListener('next', ({ data }) =>
      application.received((JSON.parse(data) as { data: Data }).data.eventAppended.event.resourceId),
    );
    source.addEventListener('complete', () => application.ended('complete'));
    return () => source.close();
  },

  'the SDK': (application) => {
    const closing = new AbortController();
    followSubscription<Data>({
      baseUrl: application.url,
      headers: authorization(application),
      query: FEED,
      signal: closing.signal,
      onEvent({ eventAppended: { cursor, event } }) {
        application.received(event.resourceId);
        return cursor;
      },
    }).catch(application.ended);
    return () => closing.abort();
  },
};

function sinkOf({ received, ended }: Application): ResultSink {
  return {
    next: (result) => received((result.data as unknown as Data).eventAppended.event.resourceId),
    error: ended,
    complete: () => ended('complete'),
  };
}
