import { type RefObject, useEffect, useRef, useState } from 'react';

/** Whether the form of a message is open. */
export interface Editing {
  readonly isOpen: boolean;
  readonly open: () => void;
  /** Closes the form. The button that opened it gets the focus again. */
  readonly cancel: () => void;
  /** Closes the form after the message was sent. */
  readonly finish: () => void;
  readonly button: RefObject<HTMLButtonElement | null>;
}

type State = 'closed' | 'open' | 'cancelled';

export function useEditing(): Editing {
  const [state, setState] = useState<State>('closed');
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (state === 'cancelled') button.current?.focus();
  }, [state]);
  return {
    isOpen: state === 'open',
    open: () => setState('open'),
    cancel: () => setState('cancelled'),
    finish: () => setState('closed'),
    button,
  };
}
