import { type ComponentType, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { matchRoute, type Parser, Route, Switch, useLocation, useSearchParams } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { Dialog, preloadDialogs } from '../../ui/dialog.tsx';
import { ErrorBoundary } from '../../ui/error-boundary.tsx';
import { Icon } from '../../ui/icon.tsx';
import { enhancement, retried } from '../../ui/load.ts';
import { MAIN_ID, SkipLink } from '../../ui/skip-link.tsx';
import { useSound } from '../alerts.ts';
import { NotFound } from '../frame/not-found.tsx';
import { PageSkeleton } from '../frame/page-frame.tsx';
import { useEnvironment, useGo } from '../location.ts';
import { AccountMenu } from './account-menu.tsx';
import { EnvironmentSwitch } from './environment-switch.tsx';
import { Navigation, useVisiblePages } from './navigation.tsx';
import { GROUPS } from './pages.ts';
import { useShortcuts } from './shortcuts.ts';

const COMPONENTS: ReadonlyMap<string, ComponentType> = new Map(
  GROUPS.flatMap(({ pages }) =>
    pages.map(({ path, load }) => [path, lazy(async () => ({ default: (await retried(load)).Page }))] as const),
  ),
);

/** Starts to load the script of a page, before it is known whether the user may open it. */
export function preloadPage(parser: Parser, path: string): void {
  const page = GROUPS.flatMap(({ pages }) => pages).find((one) => matchRoute(parser, one.path, path)[0]);
  // If it fails, the page tries again.
  page?.load().catch(() => undefined);
}

interface Props {
  readonly onSignOut: () => void;
  readonly onSwitch: (workspaceId: string) => void;
}

/** The navigation and header around every page. */
export function Shell(props: Props) {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [open, setOpen] = useState<'palette' | 'help'>();
  const environment = useEnvironment();
  const go = useGo();
  const close = () => setOpen(undefined);
  const onPalette = () => setOpen('palette');
  const onHelp = () => setOpen('help');
  useSound();
  useShortcuts({ onPalette, onHelp, onGo: go });
  return (
    // The band of the test environment takes 2rem at the top of the window.
    <div className={`group/shell min-h-dvh text-base ${environment === 'test' ? '[--band:2rem]' : '[--band:0px]'}`}>
      <SkipLink />
      {environment === 'test' && <TestBand />}
      <div className="lg:grid lg:grid-cols-[15rem_1fr]">
        <aside className="sticky top-(--band) hidden h-[calc(100dvh-var(--band))] overflow-y-auto border-r border-line bg-surface p-3 lg:block">
          <Brand />
          <Navigation />
        </aside>
        <div className="flex min-h-[calc(100dvh-var(--band))] min-w-0 flex-col">
          <header className="sticky top-(--band) z-20 flex min-h-14 items-center gap-2 border-b border-line bg-surface px-3 md:px-4">
            <Button look="quiet" small className="lg:hidden" aria-label="Menu" onClick={() => setMenuOpen(true)}>
              <Icon name="menu" />
            </Button>
            <PaletteButton onOpen={onPalette} />
            <EnvironmentSwitch />
            <AccountMenu {...props} onHelp={onHelp} />
          </header>
          <Content />
        </div>
      </div>
      {isMenuOpen && (
        <Dialog title="Parley" onClose={() => setMenuOpen(false)}>
          <Navigation onGo={() => setMenuOpen(false)} />
        </Dialog>
      )}
      <Extras />
      <ErrorBoundary subject={open ?? ''}>
        <Suspense fallback={null}>
          {open === 'palette' && <Palette onClose={close} onHelp={onHelp} onSignOut={props.onSignOut} />}
          {open === 'help' && <ShortcutHelp onClose={close} />}
        </Suspense>
      </ErrorBoundary>
    </div>
  );
}

function PaletteButton({ onOpen }: { readonly onOpen: () => void }) {
  return (
    <div className="flex min-w-0 flex-1">
      <button
        type="button"
        onClick={onOpen}
        className="flex min-h-9 min-w-0 cursor-pointer items-center gap-2 rounded-lg border border-transparent px-2 text-sm text-muted transition-colors hover:bg-sunken sm:w-72 sm:border-line sm:bg-canvas"
      >
        <Icon name="search" className="size-4" />
        <span className="truncate max-sm:sr-only">Search or go to</span>
        <span className="ml-auto hidden rounded-md border border-line bg-surface px-1.5 text-xs sm:block">
          {PALETTE_KEYS}
        </span>
      </button>
    </div>
  );
}

const PALETTE_KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

const Palette = lazy(async () => ({ default: (await retried(() => import('./palette/palette.tsx'))).Palette }));
const ShortcutHelp = lazy(async () => ({
  default: (await retried(() => import('./palette/shortcut-help.tsx'))).ShortcutHelp,
}));

function Brand() {
  return (
    <p className="mb-4 flex items-center gap-2.5 px-2.5 py-1.5 text-lg font-semibold">
      <span aria-hidden="true" className="flex size-7 items-center justify-center rounded-lg bg-accent text-on-accent">
        <Icon name="chat" className="size-4" />
      </span>
      Parley
    </p>
  );
}

/** Nobody mistakes the test environment for the live one. */
function TestBand() {
  const [, setParams] = useSearchParams();
  return (
    <section
      aria-label="Environment notice"
      className="sticky top-0 z-30 flex h-8 items-center justify-center gap-3 bg-test px-3 text-sm text-on-test"
    >
      <Icon name="flask" className="size-4" />
      <p className="truncate">
        <strong>Test environment</strong>
        <span className="hidden sm:inline"> – its data and keys are separate from live</span>
      </p>
      <button type="button" className="cursor-pointer font-medium underline" onClick={() => setParams({})}>
        Go to live
      </button>
    </section>
  );
}

const tooltips = enhancement(() => import('../../ui/tooltip-layer.tsx'));
const toasts = enhancement(() => import('../../ui/toast-popup.tsx'));

/** Tooltips and toasts. They load after the page, together with the dialogs. */
function Extras() {
  const [tips, corner] = [tooltips.useModule(), toasts.useModule()];
  useEffect(preloadDialogs, []);
  return (
    <>
      {tips && <tips.TooltipLayer />}
      {corner && <corner.Toasts />}
    </>
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
    <main ref={main} id={MAIN_ID} tabIndex={-1} className="flex-1 p-4 outline-none md:p-8">
      <ErrorBoundary subject={path}>
        <Suspense fallback={<PageSkeleton />}>
          <Switch>
            {pages.map(({ path: pattern }) => (
              <Route key={pattern} path={pattern} component={COMPONENTS.get(pattern) ?? PageMissing} />
            ))}
            <Route component={PageMissing} />
          </Switch>
        </Suspense>
      </ErrorBoundary>
    </main>
  );
}

function PageMissing() {
  return (
    <NotFound title="Page not found" to="/" list="Overview">
      The address may be wrong, or your role has no access to it.
    </NotFound>
  );
}
