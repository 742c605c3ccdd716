import { lazy, type ReactNode, Suspense } from 'react';
import { Button, Loading } from '../../ui/button.tsx';
import { ErrorBoundary } from '../../ui/error-boundary.tsx';
import { retried } from '../../ui/load.ts';
import { Loaded } from '../frame/loaded.tsx';
import { Pager, usePosition } from '../paging.tsx';
import { useServiceQuery } from '../requests.ts';
import { BudgetBars } from './budget-bars.tsx';
import type { NamedPlace, OpenDialog } from './budget-place.ts';
import type { Budget } from './budget-words.ts';
import { BUDGETS } from './documents.ts';

interface Props extends NamedPlace {
  readonly empty: ReactNode;
  readonly canWrite: boolean;
  readonly open: OpenDialog | undefined;
  readonly setOpen: (open: OpenDialog | undefined) => void;
}

// Most visits do not change budgets.
const BudgetDialog = lazy(async () => ({
  default: (await retried(() => import('./budget-dialog.tsx'))).BudgetDialog,
}));

/** The list of end users' budgets has pages of its own. */
const LIST = 'budgets';

export function BudgetList({ place, name, empty, canWrite, open, setOpen }: Props) {
  const { isAnyEndUser, ...filter } = place;
  const position = usePosition(undefined, LIST);
  const kind = isAnyEndUser ? 'END_USER' : 'ENVIRONMENT';
  const query = useServiceQuery(BUDGETS, {
    filter: Object.keys(filter).length > 0 ? filter : { place: kind },
    ...(isAnyEndUser && position),
  });
  const changes = (budget: Budget, label: string) => (
    <span className="flex gap-1">
      <Button small aria-label={`Change: ${label}`} onClick={() => setOpen({ kind: 'set', budget })}>
        Change
      </Button>
      <Button small look="quiet" aria-label={`Remove: ${label}`} onClick={() => setOpen({ kind: 'remove', budget })}>
        Remove
      </Button>
    </span>
  );
  return (
    <>
      <Loaded query={query} skeleton={<Loading />}>
        {({ timeZone, budgets: { nodes, pageInfo } }) => (
          <>
            {nodes.length === 0 && <p className="text-muted">{empty}</p>}
            <BudgetBars
              budgets={nodes}
              place={isAnyEndUser ? undefined : name}
              actions={canWrite ? changes : undefined}
              timeZone={timeZone}
            />
            {isAnyEndUser && <Pager pageInfo={pageInfo} list={LIST} />}
          </>
        )}
      </Loaded>
      {open && (
        <ErrorBoundary subject={open.kind}>
          <Suspense fallback={null}>
            <BudgetDialog {...{ place, name, open }} onClose={() => setOpen(undefined)} />
          </Suspense>
        </ErrorBoundary>
      )}
    </>
  );
}
