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

/**
 * A filter that the address holds, so that a page can be sent to a colleague: its value, '' where there is none, and
 * how to set it. Whatever is filtered anew begins at the first page.
 */
export function useFilter(name: string): readonly [string, (value: string) => void] {
  const [params, setParams] = useSearchParams();
  const set = (value: string) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        for (const position of ['after', 'before']) next.delete(position);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true },
    );
  return [params.get(name) ?? '', set];
}
