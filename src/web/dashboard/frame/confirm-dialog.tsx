import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import type { RequestError } from '../request-error.ts';
import { ErrorNotice } from './loaded.tsx';

interface Props {
  readonly title: string;
  /** The label of the button that confirms. */
  readonly verb: string;
  readonly look?: 'primary' | 'destroy';
  /** The label of the button that cancels. */
  readonly cancel?: string;
  readonly busy: boolean;
  readonly disabled?: boolean;
  readonly error?: RequestError | undefined;
  readonly onConfirm: () => unknown;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks the user to confirm an action. */
export function ConfirmDialog(props: Props) {
  const {
    title,
    verb,
    look = 'destroy',
    cancel = 'Cancel',
    busy,
    disabled,
    error,
    onConfirm,
    onClose,
    children,
  } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="flex flex-col gap-4">
        {children}
        <ErrorNotice error={error} />
        <DialogActions>
          <Button onClick={onClose}>{cancel}</Button>
          <Button look={look} busy={busy} disabled={disabled} onClick={onConfirm}>
            {verb}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  );
}
