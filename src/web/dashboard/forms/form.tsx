import type { FormEvent, ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { Submission } from './use-mutation-form.ts';

interface FormProps {
  readonly form: Submission;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A form whose fields are checked by its schema, not by the browser. */
export function Form({ form: { submit }, className = 'flex flex-col gap-4', children }: FormProps) {
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void submit();
  };
  return (
    <form noValidate onSubmit={onSubmit} className={className}>
      {children}
    </form>
  );
}

/** The error that belongs to no field. */
export function FormError({ form: { message } }: Pick<FormProps, 'form'>) {
  return message && <Notice tone="danger">{message}</Notice>;
}

interface DialogProps extends Pick<FormProps, 'form' | 'children'> {
  readonly title: string;
  /** The label of the submit button. */
  readonly verb: string;
  readonly disabled?: boolean;
  readonly onClose: () => void;
}

/** A form in a dialog. */
export function FormDialog({ title, verb, disabled, form, onClose, children }: DialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form form={form}>
        {children}
        <FormError form={form} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={form.busy} disabled={disabled}>
            {verb}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
