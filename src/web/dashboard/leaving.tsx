import { useEffect, useRef, useState } from 'react';
import type { AroundNavHandler } from 'wouter';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

type Go = () => void;

/** The one page that holds what is not saved: it is asked before another takes its place. */
let ask: ((go: Go) => void) | undefined;

/** What it makes of the browser's own buttons. */
let onPop: ((event: PopStateEvent) => void) | undefined;

/** Has to be called before anything is rendered: a window's listeners are called in order, and the router has its own. */
export function listenFirst(): void {
  window.addEventListener('popstate', (event) => onPop?.(event));
}

/** Every way within the dashboard leads through here. */
export const aroundNavigation: AroundNavHandler = (navigate, to, options) => {
  const go = () => navigate(to, options);
  const here = window.location.href;
  if (ask && isElsewhere(here, new URL(to, here).href)) ask(go);
  else go();
};

/** Tabs and filters of a page are the same page, and keep what is written on it. */
function isElsewhere(from: string, to: string): boolean {
  const [one, other] = [new URL(from), new URL(to)];
  return one.pathname !== other.pathname || one.searchParams.get('env') !== other.searchParams.get('env');
}

/** Asks before what is not saved is left: by a link, by the browser's own buttons, or by closing the window. */
export function LeavingGuard({ unsaved }: { readonly unsaved: boolean }) {
  const [leave, setLeave] = useState<Go>();
  const isLifted = useRef(false);
  useEffect(() => {
    if (!unsaved) return;
    isLifted.current = false;
    const askFirst = (go: Go) => {
      if (isLifted.current) go();
      else setLeave(() => go);
    };
    ask = askFirst;
    const unlisten = onLeaving(askFirst, () => isLifted.current);
    return () => {
      ask = undefined;
      unlisten();
    };
  }, [unsaved]);
  if (!leave) return null;
  const stay = () => setLeave(undefined);
  return (
    <Dialog title="Leave without saving?" onClose={stay}>
      <p>What you changed here is not saved, and will be lost.</p>
      <div className="mt-6 flex flex-wrap justify-end gap-2">
        <Button onClick={stay}>Stay here</Button>
        <Button
          look="danger"
          onClick={() => {
            isLifted.current = true;
            stay();
            leave();
          }}
        >
          Leave without saving
        </Button>
      </div>
    </Dialog>
  );
}

/** Listens to the browser's own ways away from a page. */
function onLeaving(askFirst: (go: Go) => void, isLifted: () => boolean): () => void {
  let current = window.location.href;
  const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
  const onMove = () => {
    current = window.location.href;
  };
  // The address is the other page's already: this one's is put on top of it, so that going back leads there.
  onPop = (event) => {
    if (isLifted() || !isElsewhere(current, window.location.href)) return onMove();
    event.stopImmediatePropagation();
    window.history.pushState(null, '', current);
    askFirst(() => window.history.back());
  };
  window.addEventListener('beforeunload', onUnload);
  // The router tells of its own moves by these.
  for (const name of ['pushState', 'replaceState']) window.addEventListener(name, onMove);
  return () => {
    onPop = undefined;
    window.removeEventListener('beforeunload', onUnload);
    for (const name of ['pushState', 'replaceState']) window.removeEventListener(name, onMove);
  };
}
