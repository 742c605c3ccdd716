import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { texts } from '../../texts/current.ts';
import { Button } from '../../ui/button.tsx';

interface Props {
  readonly title: string;
  /** Shown under the title. */
  readonly lead?: ReactNode;
  /** Error texts. Screen readers announce them at once. */
  readonly errors: readonly string[];
  /** The label of the submit button. */
  readonly submit: string;
  /** Disables all fields. */
  readonly isSending: boolean;
  /** Whether the form takes the focus when it appears. */
  readonly takesFocus: boolean;
  readonly onSubmit: () => void;
  /** Other buttons, next to the submit button. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of a form that enters the output of a call. */
export function FormCard({ title, lead, errors, submit, isSending, takesFocus, onSubmit, actions, children }: Props) {
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
        {errors.length > 0 && (
          <div role="alert" className="mt-4 rounded-lg bg-danger-soft px-4 py-3 text-danger">
            {errors.length === 1 ? errors[0] : <ErrorList errors={errors} />}
          </div>
        )}
        <fieldset disabled={isSending} className="mt-4 flex min-w-0 flex-col gap-6">
          {children}
        </fieldset>
        <div className="mt-6 flex flex-wrap gap-2">
          <Button type="submit" look="primary" busy={isSending} className="w-full sm:w-auto">
            {isSending ? texts().round.sending : submit}
          </Button>
          {!isSending && actions}
        </div>
      </form>
    </section>
  );
}

function ErrorList({ errors }: { readonly errors: readonly string[] }) {
  return (
    <ul className="list-disc space-y-1 ps-5">
      {errors.map((error) => (
        <li key={error}>{error}</li>
      ))}
    </ul>
  );
}

/** Scrolls to the top of an element and focuses it, after the layout of the conversation has settled. */
function showFromTop(element: HTMLElement | null): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (!element?.isConnected || element.contains(document.activeElement)) return;
      element.focus({ preventScroll: true });
      element.scrollIntoView({ block: 'start' });
    }),
  );
}
