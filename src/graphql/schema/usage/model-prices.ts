import { listPrices, removePrice, setPrice } from '../../../domain/usage/prices.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { outputText } from '../../../shapes/descriptions.ts';
import { SET_MODEL_PRICE } from '../../../shapes/environment.ts';
import { builder } from '../builder.ts';
import { mutation } from '../mutation.ts';
import type { NodeRowsExtensions } from '../node-rows.ts';
import { inputType } from '../shape-fields.ts';
import '../in-use.ts';

const PRICES = SET_MODEL_PRICE.fields;

export const ModelPrice = builder.prismaNode('ModelPrice', {
  id: { resolve: ({ model }) => model, description: 'The global ID, for `node`.' },
  extensions: {
    nodeScope: 'workflows:read',
    nodeRows: { model: 'modelPrice', columns: ['model'], keyOf: (id) => id },
  } satisfies NodeExtensions & NodeRowsExtensions,
  nullable: true,
  findUnique: (model, { domain }) => ({
    workspaceId_model: { workspaceId: domain.environment.workspaceId, model },
  }),
  description: "The price of a model's tokens, in the currency of the workspace.",
  fields: (t) => ({
    model: t.exposeString('model', { description: 'The model: demo, or provider:name.' }),
    inputPerMillion: t.float({
      description: outputText(PRICES.inputPerMillion),
      resolve: ({ inputPerMillion }) => inputPerMillion.toNumber(),
    }),
    cachedInputPerMillion: t.float({
      nullable: true,
      description: outputText(PRICES.cachedInputPerMillion),
      resolve: ({ cachedInputPerMillion }) => cachedInputPerMillion?.toNumber(),
    }),
    cacheWritePerMillion: t.float({
      nullable: true,
      description: outputText(PRICES.cacheWritePerMillion),
      resolve: ({ cacheWritePerMillion }) => cacheWritePerMillion?.toNumber(),
    }),
    outputPerMillion: t.float({
      description: outputText(PRICES.outputPerMillion),
      resolve: ({ outputPerMillion }) => outputPerMillion.toNumber(),
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the price was last set.' }),
  }),
});

builder.queryField('modelPrices', (t) =>
  t.field({
    publishing: 'reads',
    type: [ModelPrice],
    access: { scope: 'workflows:read' },
    description: "The prices of the workspace, in the order of the models' names. Scope: workflows:read.",
    resolve: (_root, _args, { domain }) => listPrices(domain),
  }),
);

mutation('setModelPrice', {
  publishing: 'sets',
  access: { scope: 'workflows:write' },
  description: 'Sets the price of a model. It also applies to past usage. Scope: workflows:write.',
  input: inputType(SET_MODEL_PRICE),
  errors: ['invalid_request'],
  resolve: (input, { domain }) => setPrice(domain, input),
  payload: (t) => ({
    modelPrice: t.field({ type: ModelPrice, description: 'The new price.', resolve: (price) => price }),
  }),
});

const RemoveModelPriceInput = builder.inputType('RemoveModelPriceInput', {
  description: 'The model whose price is removed.',
  fields: (t) => ({ model: t.string({ required: true, description: 'The model of the price.' }) }),
});

mutation('removeModelPrice', {
  publishing: 'removes',
  access: { scope: 'workflows:write' },
  description:
    'Removes the price of a model. The cost of its usage becomes null. Error in_use if a budget in money needs it. Scope: workflows:write.',
  input: RemoveModelPriceInput,
  errors: ['not_found', 'in_use'],
  resolve: async ({ model }, { domain }) => {
    await removePrice(domain, model);
    return { model };
  },
  payload: (t) => ({ model: t.exposeString('model', { description: 'The model that has no price any more.' }) }),
});
