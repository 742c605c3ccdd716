import type { ResultOf } from 'gql.tada';
import { enumValueOf } from '../../../contract/enum-names.ts';
import type { BudgetReachedPolicy } from '../../../contract/statuses.ts';
import { formatCount } from '../../ui/numbers.ts';
import type { Money } from '../money.ts';
import type { BUDGETS } from './documents.ts';

export type Budget = ResultOf<typeof BUDGETS>['budgets']['nodes'][number];

type Sum = Budget['spent'];

const PERIODS: Readonly<Record<Budget['period'], string>> = { TOTAL: 'Total', DAY: 'Daily', MONTH: 'Monthly' };

/** Daily, Monthly or Total. */
export const periodName = (period: Budget['period']): string => PERIODS[period];

/** Monthly budget */
export const budgetName = ({ period }: Pick<Budget, 'period'>): string => `${periodName(period)} budget`;

interface PolicyWords {
  readonly label: string;
  readonly hint: string;
}

const POLICIES: Readonly<Record<BudgetReachedPolicy, PolicyWords>> = {
  refuse: { label: 'Refuse new turns', hint: 'A running turn finishes its step and ends.' },
  stop: { label: 'Stop running turns too', hint: 'The text so far is kept. New turns are refused.' },
  pause: {
    label: 'Ask a member',
    hint: 'Agent turns wait under “Waiting” until a member raises the budget. Others are refused.',
  },
};

/** What happens when a budget is used up. */
export function policyWords(policy: Budget['onReached']): PolicyWords {
  return POLICIES[enumValueOf(policy) as BudgetReachedPolicy];
}

/** $12.50 or 1,200 tokens */
export const sumText = (sum: Sum, money: Money): string =>
  sum.tokens === null ? partText(sum, money) : `${partText(sum, money)} tokens`;

/** $12.50 or 1,200: a part of a sum that names its unit. */
export const partText = ({ amount, tokens }: Sum, money: Money): string =>
  tokens === null ? money.format(amount) : formatCount(tokens);

/** What a budget has in its current period. */
export function limitOf(budget: Budget): Sum {
  const { amount, raised } = budget;
  if (amount === null) return { amount, tokens: sizeOf(budget) + sizeOf(raised) };
  return sizeOf(raised) > 0
    ? { amount: String(sizeOf(budget) + sizeOf(raised)), tokens: null }
    : { amount, tokens: null };
}

/** Money and tokens as a number, to compare sums of one budget. */
export const sizeOf = ({ amount, tokens }: Sum): number => tokens ?? Number(amount);

/** 80% */
export const shareText = (share: number): string => `${Number((share * 100).toFixed(1))}%`;

/** When the current period of a budget ends, in the time zone of the environment. */
export function periodEndText(endsAt: string | null, timeZone: string): string {
  if (endsAt === null) return 'Never begins again';
  const format = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23', timeZone });
  return `Begins again on ${format.format(new Date(endsAt))} (${timeZone})`;
}
