import { Link, useLocation, useSearchParams } from 'wouter';
import { useHref } from './location.ts';

const PAGE_SIZE = 20;

/** Where a list is, as the address says: what a connection of the schema takes. */
export function usePosition(size = PAGE_SIZE) {
  const [params] = useSearchParams();
  const [after, before] = [params.get('after'), params.get('before')];
  return before ? { last: size, before } : { first: size, after };
}

interface PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

/** Goes to the pages beside this one; nothing where there is one alone. */
export function Pager({ pageInfo }: { readonly pageInfo: PageInfo }) {
  const [path] = useLocation();
  const [params] = useSearchParams();
  const href = useHref();
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = pageInfo;
  if (!hasNextPage && !hasPreviousPage) return null;
  const to = (position: Record<string, string>) => {
    const kept = Object.fromEntries([...params].filter(([name]) => name !== 'after' && name !== 'before'));
    return href(path, { ...kept, ...position });
  };
  return (
    <nav aria-label="Pages" className="mt-4 flex justify-between">
      {hasPreviousPage && startCursor ? <Step to={to({ before: startCursor })}>← Newer</Step> : <span />}
      {hasNextPage && endCursor ? <Step to={to({ after: endCursor })}>Older →</Step> : <span />}
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
