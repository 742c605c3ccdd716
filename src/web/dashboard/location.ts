import { useCallback } from 'react';
import { useLocation, useSearchParams } from 'wouter';

/** Where changes are tried out, and where they count. */
export type Environment = 'live' | 'test';

/** The environment that the address says; every link keeps it. */
export function useEnvironment(): Environment {
  const [params] = useSearchParams();
  return params.get('env') === 'test' ? 'test' : 'live';
}

/** Makes addresses within the dashboard: a path, and a query of its own; the environment stays. */
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

/** Goes to another page of the dashboard. */
export function useGo(): (path: string, query?: Readonly<Record<string, string>>) => void {
  const href = useHref();
  const [, navigate] = useLocation();
  return useCallback((path, query) => navigate(href(path, query)), [href, navigate]);
}

/** Sets filters that the address holds, all at once; '' takes one out. Whatever is filtered anew begins at the first page. */
export function useSetFilters(): (values: Readonly<Record<string, string>>) => void {
  const [, setParams] = useSearchParams();
  return (values) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        for (const position of ['after', 'before']) next.delete(position);
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
 * A filter that the address holds, so that a page can be sent to a colleague: its value, '' where there is none, and
 * how to set it.
 */
export function useFilter(name: string): readonly [string, (value: string) => void] {
  const [params] = useSearchParams();
  const set = useSetFilters();
  return [params.get(name) ?? '', (value) => set({ [name]: value })];
}
