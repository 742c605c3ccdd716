import type { Mutant } from './mutant.ts';

const SET = 'domain/budgets/set-budget.ts';
const PRICES = 'domain/workflows/needed-prices.ts';
const ZONE = 'domain/budgets/time-zone.ts';
const API_TEST = 'spec/budgets-api.test.ts';
const PRICES_TEST = 'spec/budget-prices.test.ts';
const ZONE_TEST = 'spec/time-zone.test.ts';

/** Guards of the settings of budgets. */
export const BUDGET_SETTINGS: readonly Mutant[] = [
  {
    name: 'concurrent calls set more budgets than the limit',
    file: SET,
    find: 'await tx.$executeRaw`UPDATE environment SET has_budgets = true WHERE id = ${ctx.environment.id}::uuid`;',
    replace: '',
    test: API_TEST,
  },
  {
    name: 'a budget in another unit keeps what was spent',
    file: SET,
    find: 'budget.unit = excluded.unit AND budget.period_start',
    replace: 'budget.period_start',
    test: API_TEST,
  },
  {
    name: 'a budget in another unit keeps reservations',
    file: SET,
    find: 'if (before && before.unit !== budget.unit)',
    replace: 'if (before?.unit === budget.unit)',
    test: API_TEST,
  },
  {
    name: 'a budget with room stays reached',
    file: SET,
    find: ' AND (${used} >= excluded.amount OR excluded.amount <= budget.amount + budget.raised) THEN budget.reached_at',
    replace: ' THEN budget.reached_at',
    test: API_TEST,
  },
  {
    name: 'a budget in money needs no prices',
    file: SET,
    find: 'await requirePrices(ctx, tx, deploymentIds);',
    replace: '',
    test: PRICES_TEST,
  },
  {
    name: 'a price is removed at the same time as a budget needs it',
    file: PRICES,
    find: 'await tx.$queryRaw`SELECT FROM workspace WHERE id = ${environment.workspaceId}::uuid FOR NO KEY UPDATE`;',
    replace: 'await Promise.resolve({ tx, environment });',
    test: PRICES_TEST,
  },
  {
    name: 'a version without a price is published in spite of a budget',
    file: 'domain/workflows/publish.ts',
    find: 'await requirePricesOfPublished(ctx, tx, deploymentIds);',
    replace: '',
    test: PRICES_TEST,
  },
  {
    name: 'an earlier version without a price runs again in spite of a budget',
    file: 'domain/workflows/deployment-changes.ts',
    find: 'await requirePricesOfPublished(ctx, tx, [id]);',
    replace: '',
    test: PRICES_TEST,
  },
  {
    name: 'a default budget in money needs no prices',
    file: PRICES,
    find: 'await requirePricesOfDefaults(ctx, tx, deploymentIds);',
    replace: '',
    test: PRICES_TEST,
  },
  {
    name: 'a price is removed although a default budget needs it',
    file: PRICES,
    find: '[{ ...defaults, isOwn: true }],',
    replace: '',
    test: PRICES_TEST,
  },
  {
    name: 'a time zone changes the days of budgets',
    file: ZONE,
    find: "await requireUnused(ctx, tx, 'time zone', [[budgets]], 'changed');",
    replace: 'void budgets;',
    test: ZONE_TEST,
  },
  {
    name: 'a time zone changes at the same time as a budget is set',
    file: ZONE,
    find: 'await tx.$queryRaw`SELECT FROM environment WHERE id = ${id}::uuid FOR NO KEY UPDATE`;',
    replace: '',
    test: ZONE_TEST,
  },
  {
    name: 'a budget of an erased end user stays',
    file: 'domain/conversations/erase-end-user.ts',
    find: 'await tx.budget.deleteMany({ where: { endUser } });',
    replace: '',
    test: API_TEST,
  },
];
