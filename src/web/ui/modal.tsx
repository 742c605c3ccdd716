import { Dialog } from '@base-ui/react/dialog';
import { useEffect, useRef } from 'react';
import { texts } from '../texts/current.ts';
import { Button } from './button.tsx';
import type { DialogProps } from './dialog-props.ts';
import { Icon } from './icon.tsx';
import { keepFocus } from './keep-focus.ts';

const POPUP =
  'fixed inset-0 z-40 m-auto h-fit max-h-[90dvh] w-[min(36rem,calc(100vw-2rem))] scroll-pt-16 scroll-pb-20 overflow-y-auto rounded-xl border border-line bg-raised p-6 text-ink shadow-xl outline-hidden';

/** The dialog itself. Its script is loaded when the first dialog opens. */
export function Modal({ title, onClose, children }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  useEffect(() => () => void setTimeout(keepFocus), []);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose?.()} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Popup
          ref={popup}
          // The first field gets the focus, not the close button.
          initialFocus={() => popup.current?.querySelector<HTMLElement>(FIRST_FIELD) ?? true}
          className={POPUP}
        >
          <div className="sticky -top-6 z-10 -mx-6 -mt-6 mb-2 flex items-start justify-between gap-4 bg-raised px-6 pt-6 pb-2">
            <Dialog.Title className="min-w-0 text-lg font-semibold">{title}</Dialog.Title>
            {onClose && (
              <Button look="quiet" small aria-label={texts().ui.close} onClick={onClose}>
                <Icon name="close" />
              </Button>
            )}
          </div>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const FIRST_FIELD = 'input:not([readonly], [type=hidden], [aria-hidden=true]), select, textarea, [role=combobox]';
