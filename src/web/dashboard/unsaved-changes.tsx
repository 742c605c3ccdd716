import { useEffect, useRef, useState } from 'react';
import type { AroundNavHandler } from 'wouter';
import { ConfirmDialog } from './frame/confirm-dialog.tsx';

type Navigation = () => void;

/** A form with unsaved changes. */
interface Guard {
  /** Asks the user before the navigation. */
  readonly confirm: (navigate: Navigation) => void;
  /** Handles the browser's back and forward buttons. */
  readonly onPopState: (event: PopStateEvent) => void;
}

/** The forms of the page that have unsaved changes. The last one asks for all of them. */
const guards: Guard[] = [];

/** Call before anything renders: listeners of a window run in order, and this one must run before the router's. */
export function listenForHistory(): void {
  window.addEventListener('popstate', (event) => guards.at(-1)?.onPopState(event));
}

/** Every navigation inside the dashboard passes through this handler. */
export const aroundNavigation: AroundNavHandler = (navigate, to, options) => {
  const run = () => navigate(to, options);
  const current = window.location.href;
  const guard = guards.at(-1);
  if (guard && isOtherPage(current, new URL(to, current).href)) guard.confirm(run);
  else run();
};

/** Tabs and filters belong to the same page, which keeps its unsaved changes. */
function isOtherPage(from: string, to: string): boolean {
  const [current, next] = [new URL(from), new URL(to)];
  return current.pathname !== next.pathname || current.searchParams.get('env') !== next.searchParams.get('env');
}

interface GuardProps {
  readonly unsaved: boolean;
  /** Called when the user decides to leave without saving. */
  readonly onLeave?: () => void;
}

/** Asks before a link, the browser's buttons or a closed window discard unsaved changes. */
export function UnsavedChangesGuard({ unsaved, onLeave }: GuardProps) {
  const [navigate, setNavigate] = useState<Navigation>();
  const isConfirmed = useRef(false);
  useEffect(() => {
    if (!unsaved) return;
    isConfirmed.current = false;
    const confirm = (run: Navigation) => {
      if (isConfirmed.current) run();
      else setNavigate(() => run);
    };
    return guardWindow(confirm, () => isConfirmed.current);
  }, [unsaved]);
  if (!navigate) return null;
  const stay = () => setNavigate(undefined);
  const leave = () => {
    isConfirmed.current = true;
    stay();
    onLeave?.();
    navigate();
  };
  return (
    <ConfirmDialog
      title="Leave without saving?"
      verb="Leave without saving"
      cancel="Stay here"
      busy={false}
      onConfirm={leave}
      onClose={stay}
    >
      <p>Your unsaved changes on this page will be lost.</p>
    </ConfirmDialog>
  );
}

/** Listens to the browser's own ways to leave a page. */
function guardWindow(confirm: (run: Navigation) => void, isConfirmed: () => boolean): () => void {
  let current = window.location.href;
  const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
  const onRoute = () => {
    current = window.location.href;
  };
  // The browser has already changed the address. Pushing the previous address keeps this page open, and going back
  // then leads to the page that the user wanted.
  const onPopState = (event: PopStateEvent) => {
    if (isConfirmed() || !isOtherPage(current, window.location.href)) return onRoute();
    event.stopImmediatePropagation();
    window.history.pushState(null, '', current);
    confirm(() => window.history.back());
  };
  const guard = { confirm, onPopState };
  guards.push(guard);
  window.addEventListener('beforeunload', onUnload);
  // The router dispatches these events for its own navigation.
  for (const name of ['pushState', 'replaceState']) window.addEventListener(name, onRoute);
  return () => {
    guards.splice(guards.indexOf(guard), 1);
    window.removeEventListener('beforeunload', onUnload);
    for (const name of ['pushState', 'replaceState']) window.removeEventListener(name, onRoute);
  };
}
