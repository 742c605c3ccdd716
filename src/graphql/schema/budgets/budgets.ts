import { LIMITS } from '../../../contract/limits.ts';
import type { BudgetPeriod, BudgetReachedPolicy } from '../../../contract/statuses.ts';
import { placeKindOf } from '../../../domain/budgets/budget-input.ts';
import { findBudget, listBudgets } from '../../../domain/budgets/reads.ts';
import { removeBudget } from '../../../domain/budgets/remove-budget.ts';
import { setBudget } from '../../../domain/budgets/set-budget.ts';
import { type BudgetSum, budgetState } from '../../../domain/budgets/spent.ts';
import { rowKey } from '../../../domain/row-key.ts';
import type { Deadline } from '../../../domain/workflows/config.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { BUDGET_FILTER, REMOVE_BUDGET, SET_BUDGET } from '../../../shapes/environment.ts';
import { BudgetPeriodEnum, BudgetPlaceEnum, BudgetReachedPolicyEnum } from '../budget-enums.ts';
import { builder } from '../builder.ts';
import { deletedId, mutation, NOT_FOUND } from '../mutation.ts';
import type { NodeRowsExtensions } from '../node-rows.ts';
import { inputType } from '../shape-fields.ts';
import { ExpiryObject } from '../workflows/call-deadlines.ts';

export const BudgetSumObject = builder.objectRef<BudgetSum>('BudgetSum').implement({
  description: 'A part of a budget: an amount of money or a number of tokens.',
  fields: (t) => ({
    amount: t.string({
      nullable: true,
      description: 'The amount as a decimal number, in the currency of the workspace. Null: the budget is in tokens.',
      resolve: ({ unit, value }) => (unit === 'money' ? value.toFixed() : null),
    }),
    tokens: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'The number of input and output tokens. Null: the budget is in money.',
      resolve: ({ unit, value }) => (unit === 'tokens' ? value.toNumber() : null),
    }),
  }),
});

export const Budget = builder.prismaNode('Budget', {
  id: { resolve: ({ id }) => id, description: 'The global ID, for `node`.' },
  extensions: {
    nodeScope: 'budgets:read',
    nodeRows: { model: 'budget', keyOf: (id) => id },
  } satisfies NodeExtensions & NodeRowsExtensions,
  nullable: true,
  findUnique: (id, { domain }) => rowKey(domain.environment, id),
  description: 'How much model steps can cost, in money or in tokens.',
  fields: (t) => ({
    budgetId: t.exposeID('id', { description: 'The ID: bud_ and 26 characters.' }),
    place: t.field({ type: BudgetPlaceEnum, description: 'What it applies to.', resolve: placeKindOf }),
    deploymentId: t.expose('deploymentId', {
      type: 'UUID',
      nullable: true,
      description:
        'The deployment that it applies to, or the deployment of its end user or visitors. Null: it has another place.',
    }),
    conversationId: t.expose('conversationId', {
      type: 'UUID',
      nullable: true,
      description: 'The conversation that it applies to. Null: it has another place.',
    }),
    runId: t.expose('runId', {
      type: 'UUID',
      nullable: true,
      description: 'The run that it applies to. Null: it has another place.',
    }),
    endUser: t.exposeString('endUser', {
      nullable: true,
      description: 'Your own ID of the end user that it applies to. Null: it has another place.',
    }),
    isDefault: t.exposeBoolean('isDefault', {
      description: 'Whether it has the settings of a default budget of a workflow or a deployment.',
    }),
    period: t.field({
      type: BudgetPeriodEnum,
      description: 'How often it begins again.',
      resolve: ({ period }) => period as BudgetPeriod,
    }),
    amount: t.string({
      nullable: true,
      description: 'The amount as a decimal number, in the currency of the workspace. Null: the budget is in tokens.',
      resolve: ({ unit, amount }) => (unit === 'money' ? amount.toFixed() : null),
    }),
    tokens: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'The number of input and output tokens. Null: the budget is in money.',
      resolve: ({ unit, amount }) => (unit === 'tokens' ? amount.toNumber() : null),
    }),
    warnAt: t.float({
      nullable: true,
      description: 'The share of the budget at which it warns. Null: it does not warn.',
      resolve: ({ warnAt }) => warnAt?.toNumber(),
    }),
    onReached: t.field({
      type: BudgetReachedPolicyEnum,
      description: 'What happens when it is used up.',
      resolve: ({ onReached }) => onReached as BudgetReachedPolicy,
    }),
    expiresAfterSeconds: t.exposeInt('expiresAfterSeconds', {
      nullable: true,
      description: `Seconds after which the question whether to raise it expires. Null: ${LIMITS.raiseDays} days.`,
    }),
    onExpiry: t.field({
      type: ExpiryObject,
      nullable: true,
      description: 'What happens then. Null: the turn ends.',
      resolve: ({ onExpiry }) => onExpiry as Deadline['onExpiry'] | null,
    }),
    raised: t.field({
      type: BudgetSumObject,
      description: 'What members raised it by in the current period.',
      resolve: async (budget, _args, { domain }) => (await budgetState(domain, budget)).raised,
    }),
    spent: t.field({
      type: BudgetSumObject,
      description: 'What the stored model steps of the current period cost.',
      resolve: async (budget, _args, { domain }) => (await budgetState(domain, budget)).spent,
    }),
    reserved: t.field({
      type: BudgetSumObject,
      description: 'What the running model steps can cost at most. It becomes free or spent when a step ends.',
      resolve: async (budget, _args, { domain }) => (await budgetState(domain, budget)).reserved,
    }),
    remaining: t.field({
      type: BudgetSumObject,
      description: 'What is neither spent nor reserved. At least 0.',
      resolve: async (budget, _args, { domain }) => (await budgetState(domain, budget)).remaining,
    }),
    periodStartsAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the current period began. Null: the period is TOTAL.',
      resolve: async (budget, _args, { domain }) => (await budgetState(domain, budget)).startsAt,
    }),
    periodEndsAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the current period ends. Null: the period is TOTAL.',
      resolve: async (budget, _args, { domain }) => (await budgetState(domain, budget)).endsAt,
    }),
    warnedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it warned in the current period. Null: it has not warned.',
      resolve: async (budget, _args, { domain }) => (await budgetState(domain, budget)).warnedAt,
    }),
    reachedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When a model step first found it used up in the current period. Null: it has room.',
      resolve: async (budget, _args, { domain }) => (await budgetState(domain, budget)).reachedAt,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was first set.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last set.' }),
  }),
});

export const BudgetConnection = builder.connectionObject(
  { type: Budget, name: 'BudgetConnection', description: 'A page of budgets.' },
  { name: 'BudgetEdge' },
);

builder.queryField('budget', (t) =>
  t.field({
    publishing: 'reads',
    type: Budget,
    nullable: true,
    access: { scope: 'budgets:read' },
    extensions: NOT_FOUND,
    description:
      'A budget of the environment. Null: it does not exist, or it is not visible to the caller. Scope: budgets:read.',
    args: { id: t.arg.id({ required: true, idOf: 'Budget', description: 'The ID of the budget.' }) },
    resolve: (_root, { id }, { domain }) => findBudget(domain, id),
  }),
);

builder.queryField('budgets', (t) =>
  t.connection(
    {
      publishing: 'reads',
      type: Budget,
      access: { scope: 'budgets:read' },
      description: 'Budgets of the environment, newest first. Scope: budgets:read.',
      args: {
        filter: t.arg({ type: inputType(BUDGET_FILTER), description: 'Omit it for all budgets.' }),
      },
      resolve: (_root, { filter, ...args }, { domain }) => listBudgets(domain, args, filter ?? {}),
    },
    BudgetConnection,
  ),
);

mutation('setBudget', {
  publishing: 'sets',
  access: { scope: 'budgets:write' },
  description:
    'Sets the budget of a place and a period. It replaces an earlier one, and keeps what was spent in the current period if both have the same unit. A budget in money needs the price of each model that it applies to. Scope: budgets:write.',
  input: inputType(SET_BUDGET),
  errors: ['invalid_request', 'not_found'],
  resolve: (input, { domain }) => setBudget(domain, input),
  payload: (t) => ({
    budget: t.field({
      type: Budget,
      description: 'The stored budget, with its current period.',
      resolve: (budget) => budget,
    }),
  }),
});

mutation('removeBudget', {
  publishing: 'removes',
  access: { scope: 'budgets:write' },
  description: 'Removes a budget. Scope: budgets:write.',
  input: inputType(REMOVE_BUDGET),
  errors: ['not_found'],
  resolve: async ({ budgetId }, { domain }) => ({ budgetId: await removeBudget(domain, budgetId) }),
  payload: (t) => ({ deletedId: deletedId(t, 'Budget', ({ budgetId }) => budgetId) }),
});
