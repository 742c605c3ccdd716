import { lazy, Suspense } from 'react';
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

/** Loads the script of dialogs after the page, so that the first one opens at once. */
export function preloadDialogs(): void {
  // If it fails, the first dialog tries again.
  pageSettled()
    .then(loadModal)
    .catch(() => undefined);
}
