import { errorType, registerErrors } from '../errors.ts';

const BudgetReached = errorType(
  'BudgetReached',
  'The next model step could cost more than a budget has left, so the model was not asked.',
  (t) => ({
    periodEndsAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'When the period of the budget ends, so that another attempt can succeed. Null: a budget without a period.',
      resolve: ({ error }) => {
        const { period_ends_at: at } = error.details.facts as { readonly period_ends_at: string | null };
        return at === null ? null : new Date(at);
      },
    }),
  }),
);

registerErrors({ budget_reached: BudgetReached });
