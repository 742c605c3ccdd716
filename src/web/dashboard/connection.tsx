import { type ReactNode, useMemo, useState } from 'react';
import { Client, fetchExchange, mapExchange, Provider } from 'urql';
import type { Environment } from './location.ts';
import { requestErrorOf } from './request-error.ts';
import { RefreshContext } from './requests.ts';

interface Props {
  readonly environment: Environment;
  /** Called when the session is missing or has expired. */
  readonly onUnauthorized: () => void;
  readonly children: ReactNode;
}

/** Provides a GraphQL client for one environment. */
export function Connection({ environment, onUnauthorized, children }: Props) {
  const client = useMemo(
    () =>
      new Client({
        url: '/graphql',
        preferGetMethod: false,
        exchanges: [
          mapExchange({
            // A mutation also returns 401 for a wrong password, so only queries decide about the session.
            onError(error, { kind }) {
              if (kind === 'query' && requestErrorOf(error).code === 'unauthorized') onUnauthorized();
            },
          }),
          fetchExchange,
        ],
        fetchOptions: { headers: { 'x-environment': environment } },
      }),
    [environment, onUnauthorized],
  );
  const [generation, setGeneration] = useState(0);
  const refresh = useMemo(() => ({ generation, refresh: () => setGeneration((current) => current + 1) }), [generation]);
  return (
    <Provider value={client}>
      <RefreshContext value={refresh}>{children}</RefreshContext>
    </Provider>
  );
}
