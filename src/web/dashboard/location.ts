import { useCallback } from 'react';
import { useLocation, useSearchParams } from 'wouter';

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
