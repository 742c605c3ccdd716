import type { FormEvent, ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import type { Fault } from '../fault.ts';
import { OtherFault } from './other-fault.tsx';

interface Props {
  readonly title: string;
  /** What the button that does it says. */
  readonly verb: string;
  readonly look?: 'primary' | 'danger';
  readonly busy: boolean;
  readonly fault: Fault | undefined;
  /** Fields among the children that show their own faults. */
  readonly shownAt?: readonly string[];
  readonly onSubmit: () => unknown;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Something that is filled in, or confirmed, before it is done. */
export function FormDialog({
  title,
  verb,
  look = 'primary',
  busy,
  fault,
  shownAt,
  onSubmit,
  onClose,
  children,
}: Props) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {children}
        <OtherFault fault={fault} {...(shownAt && { shownAt })} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look={look} busy={busy}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
