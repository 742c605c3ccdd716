import { type ReactNode, useMemo, useState } from 'react';
import { Client, fetchExchange, mapExchange, Provider } from 'urql';
import { faultOf } from './fault.ts';
import type { Environment } from './location.ts';
import { Generation } from './requests.ts';

interface Props {
  readonly environment: Environment;
  /** The service does not know who asks. */
  readonly onUnauthorized: () => void;
  readonly children: ReactNode;
}

/** Lets what is below it ask the service, in one environment. */
export function Connection({ environment, onUnauthorized, children }: Props) {
  const client = useMemo(
    () =>
      new Client({
        url: '/graphql',
        preferGetMethod: false,
        exchanges: [
          mapExchange({
            // A change may be refused for a wrong password; reads are for whoever is in.
            onError(error, { kind }) {
              if (kind === 'query' && faultOf(error).code === 'unauthorized') onUnauthorized();
            },
          }),
          fetchExchange,
        ],
        fetchOptions: { headers: { 'x-environment': environment } },
      }),
    [environment, onUnauthorized],
  );
  const [number, setNumber] = useState(0);
  const generation = useMemo(() => ({ number, next: () => setNumber((before) => before + 1) }), [number]);
  return (
    <Provider value={client}>
      <Generation value={generation}>{children}</Generation>
    </Provider>
  );
}
