import { type ComponentType, createElement, lazy, Suspense, useEffect } from 'react';
import { ErrorBoundary } from '../../ui/error-boundary.tsx';
import { retried } from '../../ui/load.ts';
import { Skeleton } from '../../ui/skeleton.tsx';

interface PartProps<Name extends string, Props> {
  readonly name: Name;
  readonly props: Props;
}

/** The contents of the tabs of a page. Their scripts load on demand: a visit needs one or two of them. */
export function tabParts<Name extends string, Props extends object>(
  loads: Readonly<Record<Name, () => Promise<ComponentType<Props>>>>,
) {
  const partOf = (name: Name) => lazy(async () => ({ default: await retried(loads[name]) }));
  const names = Object.keys(loads) as Name[];
  const parts = new Map<Name, ComponentType<Props>>(names.map((name) => [name, partOf(name)]));
  return {
    /** Loads the script of a tab together with the data of the page. If it fails, the tab tries again. */
    useScript(name: Name): void {
      const load = loads[name];
      useEffect(() => {
        load().catch(() => undefined);
      }, [load]);
    },
    Part({ name, props }: PartProps<Name, Props>) {
      const content = parts.get(name);
      return (
        <ErrorBoundary subject={name}>
          <Suspense fallback={<Skeleton rows={8} />}>{content && createElement(content, props)}</Suspense>
        </ErrorBoundary>
      );
    },
  };
}
