import type { ReactNode } from 'react';
import { Badge, type Tone } from '../../ui/notice.tsx';
import { useMoney } from '../money.ts';
import {
  type Budget,
  budgetName,
  limitOf,
  partText,
  periodEndText,
  policyWords,
  shareText,
  sizeOf,
  sumText,
} from './budget-words.ts';

interface Props {
  readonly budgets: readonly Budget[];
  /** What the budgets apply to, like "this deployment". Undefined: each names its end user. */
  readonly place: string | undefined;
  readonly timeZone: string;
  /** The buttons of a budget. */
  readonly actions: ((budget: Budget, name: string) => ReactNode) | undefined;
}

/** How much of each budget is spent and reserved. */
export function BudgetBars({ budgets, place, timeZone, actions }: Props) {
  return (
    <ul className="flex flex-col gap-5">
      {budgets.map((budget) => {
        const name = `${budgetName(budget)} of ${place ?? budget.endUser}`;
        return (
          <li key={budget.budgetId} className="flex min-w-0 flex-col gap-1.5">
            <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
              <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
                <span className="min-w-0 font-medium break-words">{place ? budgetName(budget) : name}</span>
                <StateBadge {...budget} />
              </span>
              {actions?.(budget, name)}
            </div>
            <Bar {...{ budget, name }} />
            <p className="text-sm text-muted">
              {periodEndText(budget.periodEndsAt, timeZone)}. When used up: {policyWords(budget.onReached).label}.
              {budget.warnAt !== null && ` Warns at ${shareText(budget.warnAt)}.`}
            </p>
          </li>
        );
      })}
    </ul>
  );
}

function stateOf({ warnedAt, reachedAt }: Budget): Tone {
  if (reachedAt) return 'danger';
  return warnedAt ? 'warn' : 'accent';
}

function StateBadge(budget: Budget) {
  const tone = stateOf(budget);
  if (tone === 'danger') return <Badge tone={tone}>Used up</Badge>;
  if (tone === 'warn') return <Badge tone={tone}>{`Over ${shareText(budget.warnAt ?? 0)}`}</Badge>;
  return null;
}

const COLORS = { accent: 'bg-accent', warn: 'bg-warn', danger: 'bg-danger' } as const;

/** The spent part in full color, and the reserved part in a lighter one. */
function Bar({ budget, name }: { readonly budget: Budget; readonly name: string }) {
  const money = useMoney();
  const { spent, reserved } = budget;
  const all = limitOf(budget);
  const limit = sizeOf(all);
  const shares = [sizeOf(spent) / limit, sizeOf(reserved) / limit];
  const raised = sizeOf(budget.raised) > 0 ? ` (raised by ${partText(budget.raised, money)})` : '';
  const text = `${partText(spent, money)} of ${sumText(all, money)}${raised} spent`;
  const held = sizeOf(reserved) > 0 ? `, ${partText(reserved, money)} reserved` : '';
  const color = COLORS[stateOf(budget) as keyof typeof COLORS];
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a meter element cannot show the reserved part */}
      <div
        role="meter"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(sizeOf(spent), limit)}
        aria-valuetext={text + held}
        className="flex h-2.5 overflow-hidden rounded-full border border-line bg-sunken"
      >
        {shares.map((share, index) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts are always these two
            key={index}
            className={`${color} ${index > 0 ? 'opacity-40' : ''}`}
            style={{ width: `${Math.min(1, share) * 100}%` }}
          />
        ))}
      </div>
      <p className="text-sm tabular-nums">{text + held}</p>
    </>
  );
}
