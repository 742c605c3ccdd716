import type { VariablesOf } from 'gql.tada';
import * as z from 'zod/mini';
import { enumNameOf } from '../../../contract/enum-names.ts';
import { SET_BUDGET as INPUT } from '../../../shapes/environment.ts';
import { addProblem, converted, optionalNumber } from '../forms/rules.ts';
import type { BudgetPlace } from './budget-place.ts';
import type { Budget } from './budget-words.ts';
import type { SET_BUDGET } from './documents.ts';

const { fields } = INPUT;

export const PERIODS = fields.period.values.map(enumNameOf);

export const POLICIES = fields.onReached.values.map(enumNameOf);

const AMOUNT_PROBLEM = 'Enter an amount above 0 with at most 6 decimal places, like 50 or 0.75.';

const TOKENS_PROBLEM = `Enter a whole number from ${fields.tokens.range}.`;

/** The schema of the form. The place has no field, unless the user names an end user. */
export const budgetSchema = (needsEndUser: boolean) =>
  converted(
    z.object({
      endUser: z.string(),
      period: z.enum(PERIODS),
      unit: z.enum(['amount', 'tokens']),
      amount: z.string(),
      tokens: z.string(),
      warnAt: optionalNumber(0.1, 100),
      onReached: z.enum(POLICIES),
    }),
    ({ endUser, unit, amount, tokens, warnAt, ...rest }, context) => {
      if (needsEndUser && !endUser.trim()) addProblem(context, 'Enter your ID of the end user.', 'endUser');
      const isMoney = unit === 'amount';
      const limit = isMoney ? { amount: amount.trim() } : { tokens: Number(tokens) };
      if (isMoney && !z.safeParse(fields.amount.rule, limit.amount).success)
        addProblem(context, AMOUNT_PROBLEM, 'amount');
      if (!isMoney && !z.safeParse(fields.tokens.rule, limit.tokens).success)
        addProblem(context, TOKENS_PROBLEM, 'tokens');
      return {
        ...(needsEndUser && { endUser: endUser.trim() }),
        ...limit,
        ...rest,
        // A share has three decimal places.
        warnAt: warnAt === null ? null : Math.round(warnAt * 10) / 1_000,
      } satisfies VariablesOf<typeof SET_BUDGET>['input'];
    },
  );

type BudgetValues = z.input<ReturnType<typeof budgetSchema>>;

/** The values of a stored budget, or of a new one. */
export function budgetValues(budget: Budget | undefined): BudgetValues {
  if (!budget) {
    return {
      ...{ endUser: '', period: 'MONTH', unit: 'amount', amount: '', tokens: '' },
      warnAt: '80',
      onReached: 'REFUSE',
    };
  }
  const { endUser, period, amount, tokens, warnAt, onReached } = budget;
  return {
    endUser: endUser ?? '',
    period,
    unit: tokens === null ? 'amount' : 'tokens',
    amount: amount ?? '',
    tokens: String(tokens ?? ''),
    warnAt: warnAt === null ? '' : String(Number((warnAt * 100).toFixed(1))),
    onReached,
  };
}

/** The place as the input names it. A budget of the list of end users has the place of its end user. */
export function placeInput({ isAnyEndUser, ...place }: BudgetPlace, budget: Budget | undefined) {
  return isAnyEndUser && budget ? { endUser: budget.endUser } : place;
}

/** The deadline of the question whether to raise a budget, which has no field. It stays as long as the budget asks. */
export function keptDeadline(budget: Budget | undefined, onReached: Budget['onReached']) {
  if (!budget || onReached !== 'PAUSE') return {};
  const { expiresAfterSeconds, onExpiry } = budget;
  return { expiresAfterSeconds, onExpiry };
}
