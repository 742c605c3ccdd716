import { type ReactNode, useEffect, useRef } from 'react';
import { Icon } from '../../ui/icon.tsx';

/** Confirms an answer. The form has disappeared, so the keyboard goes on from here. */
export function AnswerSent({ children }: { readonly children: ReactNode }) {
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) note.current?.focus();
  }, []);
  return (
    <div
      ref={note}
      tabIndex={-1}
      role="status"
      className="flex flex-wrap items-center gap-3 rounded-lg bg-ok-soft px-4 py-3 text-ok"
    >
      <Icon name="check" className="size-5" />
      <span className="flex-1">Your answer was sent.</span>
      {children}
    </div>
  );
}
