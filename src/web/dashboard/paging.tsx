import { Link, useLocation, useSearchParams } from 'wouter';
import { useHref } from './location.ts';

const PAGE_SIZE = 20;

/** The query parameters of a list's cursors. A second list on a page has its own names. */
const parametersOf = (list: string | undefined) =>
  (list ? [`${list}-after`, `${list}-before`] : ['after', 'before']) as [string, string];

/** The pagination arguments in the URL, as a GraphQL connection takes them. */
export function usePosition(size = PAGE_SIZE, list?: string) {
  const [params] = useSearchParams();
  const [after, before] = parametersOf(list).map((name) => params.get(name)) as [string | null, string | null];
  return before ? { last: size, before } : { first: size, after };
}

interface PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

interface PagerProps {
  readonly pageInfo: PageInfo;
  readonly list?: string;
  /** The labels of the previous and the next page. */
  readonly labels?: readonly [string, string];
}

/** Links to the next and the previous page. Renders nothing if there is only one page. */
export function Pager({ pageInfo, list, labels = ['Newer', 'Older'] }: PagerProps) {
  const [after, before] = parametersOf(list);
  const [params] = useSearchParams();
  const [path] = useLocation();
  const href = useHref();
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = pageInfo;
  if (!hasNextPage && !hasPreviousPage) return null;
  const to = (cursor: Record<string, string>) => {
    const filters = Object.fromEntries([...params].filter(([name]) => name !== after && name !== before));
    return href(path, { ...filters, ...cursor });
  };
  return (
    <nav aria-label="Pages" className="mt-4 flex justify-between">
      {hasPreviousPage && startCursor ? <Step to={to({ [before]: startCursor })}>{`← ${labels[0]}`}</Step> : <span />}
      {hasNextPage && endCursor ? <Step to={to({ [after]: endCursor })}>{`${labels[1]} →`}</Step> : <span />}
    </nav>
  );
}

function Step({ to, children }: { readonly to: string; readonly children: string }) {
  return (
    <Link to={to} className="rounded-lg border border-line bg-surface px-4 py-2 hover:bg-sunken">
      {children}
    </Link>
  );
}
