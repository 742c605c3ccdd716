import { lazy, type ReactNode, Suspense } from 'react';
import type { DialogProps } from './dialog-props.ts';
import { pageSettled, retried } from './load.ts';

const loadModal = () => import('./modal.tsx');

const Modal = lazy(async () => ({ default: (await retried(loadModal)).Modal }));

/** A modal dialog. It is open while it is rendered. */
export function Dialog(props: DialogProps) {
  return (
    <Suspense fallback={null}>
      <Modal {...props} />
    </Suspense>
  );
}

/** The buttons at the end of a dialog. They stay visible while a long content scrolls. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return (
    <div className="sticky bottom-0 z-10 -mx-6 -mb-6 flex flex-wrap justify-end gap-2 border-t border-line bg-raised px-6 py-4">
      {children}
    </div>
  );
}

/** Loads the script of dialogs after the page, so that the first one opens at once. */
export function preloadDialogs(): void {
  // If it fails, the first dialog tries again.
  pageSettled()
    .then(loadModal)
    .catch(() => undefined);
}
