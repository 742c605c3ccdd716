import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, Observable } from '@apollo/client';
import {
  CombinedGraphQLErrors,
  graphQLResultHasProtocolErrors,
  PROTOCOL_ERRORS_SYMBOL,
  ServerError,
} from '@apollo/client/errors';
import { ErrorLink } from '@apollo/client/link/error';
import { print } from 'graphql';
import { createClient } from 'graphql-sse';
import { defer, retry, tap, timer } from 'rxjs';
import { possibleTypes } from './gql/possible-types.ts';

export interface Connection {
  /** The base URL of the service. */
  readonly url: string;
  readonly token: string | undefined;
  /** How subscriptions arrive: as a multipart response, which Apollo Client reads itself, or as server-sent events. */
  readonly live: 'multipart' | 'sse';
  readonly onSignedOut: () => void;
}

export function connect({ url, token, live, onSignedOut }: Connection): ApolloClient {
  const uri = `${url}/graphql`;
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}`, 'x-environment': 'live' } : {};
  const signedOut = new ErrorLink(({ error }) => {
    if (token && codeOf(error) === 'UNAUTHORIZED') onSignedOut();
  });
  const http = new HttpLink({ uri, headers });
  const transport = live === 'sse' ? ApolloLink.split(isSubscription, sse(uri, headers), http) : http;
  return new ApolloClient({ link: ApolloLink.from([signedOut, resume, transport]), cache: createCache() });
}

export function codeOf(error: unknown): string | undefined {
  if (CombinedGraphQLErrors.is(error)) return `${error.errors[0]?.extensions?.code}`;
  return ServerError.is(error) && error.statusCode === 401 ? 'UNAUTHORIZED' : undefined;
}

const isSubscription = ({ operationType }: ApolloLink.Operation) => operationType === 'subscription';

/** Continues a subscription after its last event when the connection breaks. */
const resume = new ApolloLink((operation, forward) => {
  if (!isSubscription(operation)) return forward(operation);
  const keepCursor = (result: ApolloLink.Result) => {
    // Over multipart, the error that ends a subscription is next to the payload.
    const { errors }: Pick<ApolloLink.Result, 'errors'> = graphQLResultHasProtocolErrors(result)
      ? result.extensions[PROTOCOL_ERRORS_SYMBOL]
      : result;
    const temporary = errors?.find(({ extensions }) => ['RATE_LIMITED', 'UNAVAILABLE'].includes(`${extensions?.code}`));
    if (temporary) throw temporary;
    const after = Object.values(result.data ?? {})[0]?.cursor;
    if (after) operation.variables = { ...operation.variables, after };
  };
  const delay = (error: unknown, attempt: number) => {
    const isFinal = ServerError.is(error) && error.statusCode < 500 && error.statusCode !== 429;
    if (isFinal) throw error;
    return timer(Math.random() * Math.min(8_000, 1_000 * 2 ** attempt));
  };
  return defer(() => forward(operation)).pipe(tap(keepCursor), retry({ delay, resetOnSuccess: true }));
});

/** Server-sent events, one connection for each subscription. `resume` reconnects, so this link does not. */
function sse(url: string, headers: Record<string, string>): ApolloLink {
  const client = createClient({ url, headers, retryAttempts: 0 });
  return new ApolloLink(
    ({ query, variables, operationName }) =>
      new Observable<ApolloLink.Result>((observer) =>
        client.subscribe(
          { query: print(query), variables, ...(operationName && { operationName }) },
          {
            next: (result) => observer.next(result as ApolloLink.Result),
            error: (error) => observer.error(error),
            complete: () => observer.complete(),
          },
        ),
      ),
  );
}

interface Page {
  readonly nodes: readonly unknown[];
}

/** Pages of a list are one list in the cache. */
function createCache(): InMemoryCache {
  return new InMemoryCache({
    possibleTypes,
    typePolicies: {
      Query: {
        fields: {
          conversations: {
            keyArgs: ['filter'],
            merge: (existing: Page | undefined, incoming: Page, { args }) =>
              args?.after && existing
                ? { ...existing, ...incoming, nodes: [...existing.nodes, ...incoming.nodes] }
                : incoming,
          },
        },
      },
      // The newest items, and those that arrived since.
      Conversation: { fields: { history: { keyArgs: false, merge: (_existing, incoming) => incoming } } },
    },
  });
}
