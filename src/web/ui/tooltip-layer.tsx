import { Tooltip } from '@base-ui/react/tooltip';
import { useEffect, useState } from 'react';

const DELAY_MS = 400;
/** The pointer may leave the element for this long, to reach the tooltip. */
const GRACE_MS = 120;

interface Target {
  readonly element: HTMLElement;
  readonly text: string;
}

/**
 * Shows `title` attributes as tooltips, on the keyboard focus too. The browser shows them late, small, and only to users
 * of a mouse. Pages without this layer keep the browser's.
 */
export function TooltipLayer() {
  const [target, setTarget] = useState<Target>();
  useEffect(() => listen(setTarget), []);
  return (
    <Tooltip.Root open={target !== undefined}>
      <Tooltip.Portal>
        <Tooltip.Positioner className="z-50" sideOffset={6} anchor={target?.element ?? null}>
          <Tooltip.Popup data-tooltip="" className="popup max-w-80 px-2.5 py-1.5 text-sm break-words">
            {target?.text}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

function listen(setTarget: (target: Target | undefined) => void): () => void {
  let current: Target | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const after = (ms: number, run: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(run, ms);
  };
  const hide = () => {
    clearTimeout(timer);
    // The element has its title back, unless its page has set another one meanwhile.
    if (current && !current.element.title) current.element.title = current.text;
    current = undefined;
    setTarget(undefined);
  };
  const show = (element: HTMLElement) => {
    hide();
    if (!element.isConnected || !element.title) return;
    current = { element, text: element.title };
    // The browser would show its own tooltip too.
    element.title = '';
    setTarget(current);
  };
  const onOver = ({ target }: Event) => {
    if (!(target instanceof Element)) return;
    if (current && (current.element.contains(target) || target.closest('[data-tooltip]'))) return clearTimeout(timer);
    const element = target.closest<HTMLElement>('[title]:not([title=""])');
    if (element) after(DELAY_MS, () => show(element));
    else after(GRACE_MS, hide);
  };
  const onFocus = ({ target }: Event) => {
    if (target instanceof HTMLElement && target.title && target.matches(':focus-visible')) show(target);
  };
  const onKey = ({ key }: KeyboardEvent) => void (key === 'Escape' && hide());
  const stop = new AbortController();
  const { signal } = stop;
  document.addEventListener('pointerover', onOver, { signal });
  document.addEventListener('focusin', onFocus, { signal });
  document.addEventListener('focusout', hide, { signal });
  document.addEventListener('pointerdown', hide, { signal });
  document.addEventListener('keydown', onKey, { signal });
  window.addEventListener('scroll', hide, { signal, capture: true });
  return () => {
    hide();
    stop.abort();
  };
}
