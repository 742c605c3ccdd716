import { type ComponentType, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Route, Switch, useLocation, useSearchParams } from 'wouter';
import { Button, Spinner } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useEnvironment } from '../location.ts';
import { AccountMenu } from './account-menu.tsx';
import { Navigation, useVisiblePages } from './navigation.tsx';
import { PageFrame } from './page-frame.tsx';
import { GROUPS } from './pages.ts';

const COMPONENTS: ReadonlyMap<string, ComponentType> = new Map(
  GROUPS.flatMap(({ pages }) =>
    pages.map(({ path, load }) => [path, lazy(async () => ({ default: (await load()).Page }))] as const),
  ),
);

interface Props {
  readonly onSignOut: () => void;
  readonly onSwitch: (workspaceId: string) => void;
}

/** The navigation and header around every page. */
export function Shell(props: Props) {
  const [isMenuOpen, setMenuOpen] = useState(false);
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_1fr]">
      <aside className="sticky top-0 hidden h-dvh overflow-y-auto border-r border-line bg-surface p-4 lg:block">
        <p className="mb-6 px-3 text-lg font-semibold text-accent">Parley</p>
        <Navigation />
      </aside>
      <div className="flex min-w-0 flex-col">
        <header className="flex items-center justify-between gap-3 border-b border-line bg-surface px-4 py-2">
          <Button look="quiet" small className="lg:hidden" aria-label="Menu" onClick={() => setMenuOpen(true)}>
            <Icon name="menu" />
          </Button>
          <EnvironmentSwitch />
          <AccountMenu {...props} />
        </header>
        <Content />
      </div>
      {isMenuOpen && (
        <Dialog title="Parley" onClose={() => setMenuOpen(false)}>
          <Navigation onGo={() => setMenuOpen(false)} />
        </Dialog>
      )}
    </div>
  );
}

/** The page of the current URL. Navigation moves the focus and the scroll position to the top of the new page. */
function Content() {
  const [path] = useLocation();
  const main = useRef<HTMLElement>(null);
  const previous = useRef(path);
  useEffect(() => {
    if (previous.current === path) return;
    previous.current = path;
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [path]);
  const pages = useVisiblePages().flatMap((group) => group.pages);
  return (
    <main ref={main} tabIndex={-1} className="flex-1 p-4 outline-none md:p-8">
      <Suspense fallback={<Spinner />}>
        <Switch>
          {pages.map(({ path: pattern }) => (
            <Route key={pattern} path={pattern} component={COMPONENTS.get(pattern) ?? NotFound} />
          ))}
          <Route component={NotFound} />
        </Switch>
      </Suspense>
    </main>
  );
}

function NotFound() {
  return (
    <PageFrame title="Page not found">
      <p className="text-muted">The address may be wrong, or your role has no access to it.</p>
    </PageFrame>
  );
}

/** Shows and switches the environment. */
function EnvironmentSwitch() {
  const environment = useEnvironment();
  const [, setParams] = useSearchParams();
  return (
    <label className="flex items-center gap-2 text-sm">
      <span className="sr-only">Environment</span>
      <select
        value={environment}
        onChange={(event) => setParams(event.target.value === 'test' ? { env: 'test' } : {})}
        className={`rounded-lg border px-2 py-1.5 ${environment === 'test' ? 'border-warn bg-warn-soft text-warn' : 'border-line bg-surface'}`}
      >
        <option value="live">Live</option>
        <option value="test">Test</option>
      </select>
    </label>
  );
}
