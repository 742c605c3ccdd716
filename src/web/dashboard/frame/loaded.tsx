import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import type { RequestError } from '../request-error.ts';
import type { QueryState } from '../requests.ts';

interface Props<Data> {
  readonly query: QueryState<Data>;
  /** The shape of the data while it loads for the first time. */
  readonly skeleton?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/** Shows the data of a query, or why it failed. Earlier data stays visible while the query runs again. */
export function Loaded<Data>({ query: { data, error, refetch }, skeleton, children }: Props<Data>) {
  const retry = (
    <Button small onClick={refetch}>
      Try again
    </Button>
  );
  return (
    <>
      <ErrorNotice error={error} action={retry} />
      {data !== undefined && children(data)}
      {data === undefined && !error && (skeleton ?? <Skeleton rows={6} />)}
    </>
  );
}

interface ErrorNoticeProps {
  readonly error: RequestError | undefined;
  readonly action?: ReactNode;
}

/** Why a request failed. */
export function ErrorNotice({ error, action }: ErrorNoticeProps) {
  return (
    error && (
      <Notice tone="danger" action={action}>
        {error.message}
      </Notice>
    )
  );
}
