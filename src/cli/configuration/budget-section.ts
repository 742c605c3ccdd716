import { SET_BUDGET } from '../../shapes/environment.ts';
import { configurationFile, type FileBudget } from './file-schema.ts';
import { compact, requiredId } from './item.ts';
import { fromGraphql, toGraphql } from './schema-walk.ts';
import type { Section } from './section.ts';

const { budgets } = configurationFile.shape;

type Node = FileBudget & {
  readonly budgetId: string;
  readonly place: string;
  readonly deploymentId: string | null;
  readonly deployment: { readonly name: string } | null;
};

/** The places of budgets that a file has. Conversations and end users are data. */
const PLACES: ReadonlySet<string> = new Set(['ENVIRONMENT', 'DEPLOYMENT']);

export const budgetKey = ({ deployment, period }: Pick<FileBudget, 'deployment' | 'period'>) =>
  deployment == null ? period : `${period} of ${deployment}`;

/** The same amount always has the same text: `50`, not `50.00`. */
function amountText(amount: string | null | undefined): string | null {
  if (amount == null) return null;
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}

const budgetValue = ({
  deployment,
  period,
  amount,
  tokens,
  warnAt,
  onReached,
  expiresAfterSeconds,
  onExpiry,
}: FileBudget) =>
  compact(
    { deployment, period, amount: amountText(amount), tokens, warnAt, onReached, expiresAfterSeconds, onExpiry },
    { onReached: SET_BUDGET.fields.onReached.byDefault },
  );

export const BUDGETS: Section = {
  name: 'budgets',
  noun: 'budget',
  async read(api) {
    const fields =
      '{ budgetId place deploymentId deployment { name } period amount tokens warnAt onReached expiresAfterSeconds onExpiry { mode output } }';
    const nodes = await api.all<Node>('budgets', fields, 100);
    return nodes.flatMap((node) => {
      if (!PLACES.has(node.place)) return [];
      const named = { ...node, deployment: node.deployment?.name ?? node.deploymentId };
      const [budget] = fromGraphql(budgets, [named]) as [FileBudget];
      return [{ key: budgetKey(budget), id: node.budgetId, value: budgetValue(budget) }];
    });
  },
  items: ({ budgets: list = [] }) =>
    list.map((budget, index) => ({ key: budgetKey(budget), value: budgetValue(budget), path: ['budgets', index] })),
  put: ({ value }) => ({
    run: async ({ api, deploymentIds }) => {
      const [{ deployment, ...settings }] = toGraphql(budgets, [value]) as [FileBudget];
      const place = deployment == null ? {} : { deploymentId: requiredId(deploymentIds, deployment) };
      await api.mutate('setBudget', { ...settings, ...place }, '{ __typename }');
    },
  }),
  removal: {
    verb: 'removed with what was spent of it',
    run: (api, { id }) => api.mutate('removeBudget', { budgetId: id }, '{ __typename }'),
  },
};

export const TIME_ZONE: Section = {
  name: 'environment',
  noun: 'environment',
  async read(api) {
    const { timeZone } = await api.query<{ timeZone: string }>('{ timeZone }');
    return [{ key: '', id: '', value: { timeZone } }];
  },
  items: ({ environment }) => (environment ? [{ key: '', value: environment, path: ['environment'] }] : []),
  put: ({ value }) => ({
    run: async ({ api }) => {
      await api.mutate('setTimeZone', value, '{ __typename }');
    },
  }),
};
