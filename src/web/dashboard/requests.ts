import type { TadaDocumentNode } from 'gql.tada';
import { createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { type AnyVariables, type OperationResult, useClient, useQuery } from 'urql';
import { notify } from '../ui/toast.ts';
import { doneOf } from './done.ts';
import { PASSING, type RequestError, type ReturnedError, requestErrorOf, returnedErrorOf } from './request-error.ts';

/** Every `refresh` raises the generation, and every query of the page then runs again. */
export const RefreshContext = createContext<{ readonly generation: number; readonly refresh: () => void }>({
  generation: 0,
  refresh: () => {},
});

/** The latest state of a query. */
export interface QueryState<Data> {
  /**
   * Undefined until the first response. While the query runs again, and while the service does not respond, this is the previous
   * response: a page does not lose what its user has written because the service restarts.
   */
  readonly data: Data | undefined;
  readonly error: RequestError | undefined;
  readonly loading: boolean;
  readonly refetch: () => void;
}

/** A query that failed with such an error runs again after this long, and up to twice as long. */
const RETRY_MS = 3_000;

/** Runs a query, and runs it again after every change. */
export function useServiceQuery<Data, Variables extends AnyVariables>(
  query: TadaDocumentNode<Data, Variables>,
  variables: Variables,
  { pause = false }: { readonly pause?: boolean } = {},
): QueryState<Data> {
  const { generation } = useContext(RefreshContext);
  const context = useMemo(() => ({ generation, requestPolicy: 'network-only' as const }), [generation]);
  const [{ data, error, fetching, stale }, execute] = useQuery({ query, variables, context, pause } as Parameters<
    typeof useQuery<Data, Variables>
  >[0]);
  const refetch = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  const failure = error && requestErrorOf(error);
  // While other variables load, `data` is still that of the former ones.
  const previous = usePrevious(JSON.stringify(variables), fetching ? undefined : data);
  const isPassing = failure ? PASSING.includes(failure.code) : fetching;
  const kept = data === undefined && isPassing ? previous : undefined;
  const mustRetry = kept !== undefined && error;
  useEffect(() => {
    if (!mustRetry) return;
    const timer = setTimeout(refetch, RETRY_MS * (1 + Math.random()));
    return () => clearTimeout(timer);
  }, [mustRetry, refetch]);
  return { data: data ?? kept, error: failure, loading: fetching || stale, refetch };
}

/** The latest data of a query with these variables. */
function usePrevious<Data>(variables: string, data: Data | undefined): Data | undefined {
  const [previous, setPrevious] = useState<{ readonly variables: string; readonly data: Data }>();
  if (data !== undefined && (previous?.data !== data || previous.variables !== variables)) {
    setPrevious({ variables, data });
  }
  return previous?.variables === variables ? previous.data : undefined;
}

/** The payload of the only field of a mutation. */
export type PayloadOf<Data> = Extract<Data[keyof Data], { readonly __typename: `${string}Payload` }>;

/** The outcome of one mutation: its payload, or the reason why it failed. */
export type MutationResult<Data> =
  | { readonly data: PayloadOf<Data>; readonly error?: undefined }
  | { readonly data?: undefined; readonly error: RequestError };

/** The result of a mutation. Every document selects `__typename`, the payload and the fields of an error. */
function mutationResult<Data>({ data, error }: Pick<OperationResult<Data>, 'data' | 'error'>): MutationResult<Data> {
  if (error) return { error: requestErrorOf(error) };
  const [result] = Object.values(data as Readonly<Record<string, PayloadOf<Data> | ReturnedError>>);
  // A response without errors has a result.
  const value = result as PayloadOf<Data> | ReturnedError;
  return value.__typename.endsWith('Payload')
    ? { data: value as PayloadOf<Data> }
    : { error: returnedErrorOf(value as ReturnedError) };
}

/** Returns a function that sends a mutation and then refreshes every query. */
export function useSend<Data, Variables extends AnyVariables>(mutation: TadaDocumentNode<Data, Variables>) {
  const client = useClient();
  const { refresh } = useContext(RefreshContext);
  return useCallback(
    async (variables: Variables): Promise<MutationResult<Data>> => {
      const response = await client.mutation(mutation, variables).toPromise();
      // Refresh after a rejection too: the page may be out of date, or the session may have expired.
      refresh();
      const result = mutationResult(response);
      const done = result.data && doneOf(result.data.__typename);
      if (done) notify(done);
      return result;
    },
    [client, mutation, refresh],
  );
}

/** A mutation and the state of its latest request. */
export interface MutationState<Data, Variables> {
  /** Returns undefined if the mutation failed. `error` then says why. */
  readonly mutate: (variables: Variables) => Promise<PayloadOf<Data> | undefined>;
  readonly busy: boolean;
  readonly error: RequestError | undefined;
  readonly reset: () => void;
}

/** A mutation without input fields, for buttons and confirmations. Forms use `useMutationForm`. */
export function useServiceMutation<Data, Variables extends AnyVariables>(
  mutation: TadaDocumentNode<Data, Variables>,
): MutationState<Data, Variables> {
  const send = useSend(mutation);
  const [state, setState] = useState<{ readonly busy: boolean; readonly error?: RequestError | undefined }>({
    busy: false,
  });
  const mutate = useCallback(
    async (variables: Variables) => {
      setState({ busy: true });
      const { data, error } = await send(variables);
      setState({ busy: false, error });
      return data;
    },
    [send],
  );
  const reset = useCallback(() => setState({ busy: false }), []);
  return { mutate, reset, ...{ error: undefined, ...state } };
}
