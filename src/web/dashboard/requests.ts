import type { TadaDocumentNode } from 'gql.tada';
import { createContext, useCallback, useContext, useMemo, useState } from 'react';
import { type AnyVariables, useClient, useQuery } from 'urql';
import { type Fault, faultOf } from './fault.ts';

/** Grows with every change that was made or heard of: whatever is shown is read again then. */
export const Generation = createContext<{ readonly number: number; readonly next: () => void }>({
  number: 0,
  next: () => {},
});

/** What was read, as it is now. */
export interface Reading<Data> {
  /** Undefined until it has been read; what was read last while it is read again. */
  readonly data: Data | undefined;
  readonly fault: Fault | undefined;
  /** Being read, for the first time or again. */
  readonly loading: boolean;
  readonly again: () => void;
}

/** Reads, and reads again after every change. */
export function useReading<Data, Variables extends AnyVariables>(
  query: TadaDocumentNode<Data, Variables>,
  variables: Variables,
  { pause = false }: { readonly pause?: boolean } = {},
): Reading<Data> {
  const { number } = useContext(Generation);
  const context = useMemo(() => ({ generation: number, requestPolicy: 'network-only' as const }), [number]);
  const [{ data, error, fetching, stale }, execute] = useQuery({ query, variables, context, pause } as Parameters<
    typeof useQuery<Data, Variables>
  >[0]);
  const again = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  return { data, fault: error && faultOf(error), loading: fetching || stale, again };
}

/** A change that can be made. */
export interface Change<Data, Variables> {
  /** Makes it. Undefined where it was refused: then `fault` says why. */
  readonly make: (variables: Variables) => Promise<Data | undefined>;
  readonly busy: boolean;
  readonly fault: Fault | undefined;
  readonly forget: () => void;
}

/** Changes something, and has everything read again. */
export function useChange<Data, Variables extends AnyVariables>(
  mutation: TadaDocumentNode<Data, Variables>,
): Change<Data, Variables> {
  const client = useClient();
  const { next } = useContext(Generation);
  const [state, setState] = useState<{ busy: boolean; fault?: Fault | undefined }>({ busy: false });
  const make = useCallback(
    async (variables: Variables) => {
      setState({ busy: true });
      const { data, error } = await client.mutation(mutation, variables).toPromise();
      setState({ busy: false, fault: error && faultOf(error) });
      // Also where it was refused: what is shown may be out of date, or the session over.
      next();
      return error ? undefined : data;
    },
    [client, mutation, next],
  );
  const forget = useCallback(() => setState({ busy: false }), []);
  return { make, forget, ...{ fault: undefined, ...state } };
}
