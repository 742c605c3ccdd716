import type { TadaDocumentNode } from 'gql.tada';
import { type ReactNode, useState } from 'react';
import type { AnyVariables } from 'urql';
import { Button } from '../../ui/button.tsx';
import { useServiceMutation } from '../requests.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

interface Props<Data, Variables> {
  readonly mutation: TadaDocumentNode<Data, Variables>;
  /** The input of the mutation, read at the confirmation. */
  readonly variables: Variables;
  /** The question of the confirmation. */
  readonly title: string;
  readonly small?: boolean;
  /** The name of the button for a list with several of them. */
  readonly label?: string;
  readonly onDeleted?: () => void;
  /** What the deletion removes. */
  readonly children: ReactNode;
}

/** Deletes an object after a confirmation. The dialog shows why the service refused. */
export function DeleteButton<Data, Variables extends AnyVariables>(props: Props<Data, Variables>) {
  const { mutation, variables, title, small = false, label, onDeleted, children } = props;
  const { mutate, busy, error, reset } = useServiceMutation(mutation);
  const [isConfirming, setConfirming] = useState(false);
  const close = () => {
    setConfirming(false);
    reset();
  };
  const confirm = async () => {
    if (!(await mutate(variables))) return;
    close();
    onDeleted?.();
  };
  return (
    <>
      <Button look="danger" small={small} aria-label={label} onClick={() => setConfirming(true)}>
        Delete
      </Button>
      {isConfirming && (
        <ConfirmDialog title={title} verb="Delete permanently" onConfirm={confirm} onClose={close} {...{ busy, error }}>
          {children}
        </ConfirmDialog>
      )}
    </>
  );
}
