import type { ReactNode } from 'react';

export interface DialogProps {
  readonly title: string;
  /** Without it the dialog has no close button and ignores Escape. Its content must offer a way out. */
  readonly onClose?: () => void;
  readonly children: ReactNode;
}
