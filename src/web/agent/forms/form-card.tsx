import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from '../../ui/button.tsx';

interface Props {
  readonly title: string;
  /** What stands under the title. */
  readonly lead?: ReactNode;
  /** What keeps it from being sent, each in a sentence; read out as soon as it is there. */
  readonly faults: readonly string[];
  readonly submit: string;
  /** On its way: nothing can be changed any more. */
  readonly isSending: boolean;
  /** Takes the focus when it appears: the assistant waits for it. */
  readonly takesFocus: boolean;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/** The frame of every form that answers a call. */
export function FormCard({ title, lead, faults, submit, isSending, takesFocus, onSubmit, children }: Props) {
  const id = useId();
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (takesFocus) showFromTop(card.current);
  }, [takesFocus]);
  const onSend = (event: FormEvent) => {
    event.preventDefault();
    if (!isSending) onSubmit();
  };
  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-labelledby={id}
      className="scroll-mt-4 rounded-xl border border-accent bg-surface p-4 sm:p-5"
    >
      <form noValidate onSubmit={onSend}>
        <h3 id={id} className="text-lg font-semibold">
          {title}
        </h3>
        {lead}
        {faults.length > 0 && (
          <div role="alert" className="mt-4 rounded-lg bg-danger-soft px-4 py-3 text-danger">
            {faults.length === 1 ? faults[0] : <FaultList faults={faults} />}
          </div>
        )}
        <fieldset disabled={isSending} className="mt-4 flex min-w-0 flex-col gap-6">
          {children}
        </fieldset>
        <Button type="submit" look="primary" busy={isSending} className="mt-6 w-full sm:w-auto">
          {isSending ? 'Sending…' : submit}
        </Button>
      </form>
    </section>
  );
}

function FaultList({ faults }: { readonly faults: readonly string[] }) {
  return (
    <ul className="list-disc space-y-1 pl-5">
      {faults.map((fault) => (
        <li key={fault}>{fault}</li>
      ))}
    </ul>
  );
}

/** Puts its beginning in sight and the focus on it, once the conversation around it has come to rest. */
function showFromTop(element: HTMLElement | null): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (!element?.isConnected || element.contains(document.activeElement)) return;
      element.focus({ preventScroll: true });
      element.scrollIntoView({ block: 'start' });
    }),
  );
}
