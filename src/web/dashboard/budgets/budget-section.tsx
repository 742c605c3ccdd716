import { type ComponentProps, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Section } from '../frame/page-frame.tsx';
import { usePermission } from '../session/session.ts';
import { BudgetList } from './budget-list.tsx';
import type { BudgetsProps, OpenDialog } from './budget-place.ts';

/** The budgets of a place. Members with the permission set, change and remove them. */
export function BudgetSection({ title, empty, isInPanel = false, ...place }: BudgetsProps) {
  const canWrite = usePermission('budgets:write');
  const [open, setOpen] = useState<OpenDialog>();
  const Frame = isInPanel ? Panel : Section;
  const setButton = canWrite && (
    <Button small={isInPanel} aria-label={`Set a budget of ${place.name}`} onClick={() => setOpen({ kind: 'set' })}>
      Set a budget
    </Button>
  );
  return (
    <Frame title={title} actions={setButton}>
      <BudgetList {...place} {...{ empty, canWrite, open, setOpen }} />
    </Frame>
  );
}

function Panel({ title, actions, children }: ComponentProps<typeof Section>) {
  return (
    <section>
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
