import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

interface Props {
  readonly title: string;
  /** Without it the dialog has no close button and ignores Escape. Its content must offer a way out. */
  readonly onClose?: () => void;
  readonly children: ReactNode;
}

/** A modal dialog. It is open while it is rendered. */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // A layout effect closes the dialog before React removes it. Only then does the browser restore the focus.
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    // The first field gets the focus, not the close button.
    opened?.querySelector<HTMLElement>('input:not([readonly]), select, textarea')?.focus();
    return () => opened?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      closedby={onClose ? 'closerequest' : 'none'}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      className="m-auto max-h-[90dvh] w-[min(36rem,calc(100vw-2rem))] overflow-y-auto rounded-xl border border-line bg-surface p-6 text-ink shadow-xl backdrop:bg-black/50"
    >
      <div className="mb-4 flex items-start justify-between gap-4">
        <h2 id={id} className="min-w-0 text-lg font-semibold">
          {title}
        </h2>
        {onClose && (
          <Button look="quiet" small aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </Button>
        )}
      </div>
      {children}
    </dialog>
  );
}
