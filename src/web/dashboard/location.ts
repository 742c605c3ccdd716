import { useCallback, useEffect, useRef } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';

/** Test data and live data are separate. */
export type Environment = 'live' | 'test';

/** The environment in the page's URL. Every link keeps it. */
export function useEnvironment(): Environment {
  const [params] = useSearchParams();
  return params.get('env') === 'test' ? 'test' : 'live';
}

/** Builds links inside the dashboard from a path and a query. The environment is kept. */
export function useHref(): (path: string, query?: Readonly<Record<string, string>>) => string {
  const environment = useEnvironment();
  return useCallback(
    (path, query = {}) => {
      const params = new URLSearchParams({ ...(environment === 'test' ? { env: 'test' } : {}), ...query });
      const text = params.toString();
      return text ? `${path}?${text}` : path;
    },
    [environment],
  );
}

/** Navigates to another page of the dashboard. */
export function useGo(): (path: string, query?: Readonly<Record<string, string>>) => void {
  const href = useHref();
  const [, navigate] = useLocation();
  return useCallback((path, query) => navigate(href(path, query)), [href, navigate]);
}

/** Sets several filters in the URL at once. '' removes a filter. Every change returns to the first page. */
export function useSetFilters(): (values: Readonly<Record<string, string>>) => void {
  const [, setParams] = useSearchParams();
  return (values) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        for (const cursor of ['after', 'before']) next.delete(cursor);
        for (const [name, value] of Object.entries(values)) {
          if (value) next.set(name, value);
          else next.delete(name);
        }
        return next;
      },
      { replace: true },
    );
}

/**
 * One filter in the URL, so users can share the page: its value ('' if it is not set) and its setter.
 */
export function useFilter(name: string): readonly [string, (value: string) => void] {
  const [params] = useSearchParams();
  const set = useSetFilters();
  return [params.get(name) ?? '', (value) => set({ [name]: value })];
}

/** The state of a link from a list to one of its items: the query string of the list. */
interface FromList {
  readonly list?: string;
}

/** The state for links from this list, so that `useListHref` leads back to it. */
export function useListState(): FromList {
  const [params] = useSearchParams();
  return { list: params.toString() };
}

/** Builds the link from an item back to its list. It keeps the filters, the order and the page from which the user came. */
export function useListHref(path: string): string {
  const href = useHref();
  const { list } = (useHistoryState<FromList | null>() ?? {}) as FromList;
  return href(path, Object.fromEntries(new URLSearchParams(list ?? '')));
}

/** The state of a link after which the keyboard goes on in what it opens. */
export const TAKES_FOCUS = { takesFocus: true };

/** Whether such a link has opened the page. */
export function useTakesFocus(): boolean {
  return useHistoryState<Partial<typeof TAKES_FOCUS> | null>()?.takesFocus === true;
}

/** The query parameter with which a link opens the create dialog of a page. */
const CREATE = 'create';

/** Links that open the create dialog of the page. */
export const CREATE_QUERY: Readonly<Record<string, string>> = { [CREATE]: '1' };

/** Opens the create dialog if the URL asks for it. The parameter leaves the URL, so a reload does not open it again. */
export function useOnCreate(open: () => void): void {
  const [params, setParams] = useSearchParams();
  const latest = useRef(open);
  useEffect(() => {
    latest.current = open;
  });
  const isAsked = params.has(CREATE);
  useEffect(() => {
    if (!isAsked) return;
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        next.delete(CREATE);
        return next;
      },
      { replace: true },
    );
    latest.current();
  }, [isAsked, setParams]);
}
