import { type KnownModels, type KnownProvider, knownModels } from '../../../domain/usage/known-models.ts';
import { builder } from '../builder.ts';

const KnownProviderObject = builder.objectRef<KnownProvider>('ModelProvider').implement({
  description: 'A provider of models.',
  fields: (t) => ({
    name: t.string({
      description: 'The first part of the names of its models, for example openai.',
      resolve: ({ provider }) => provider,
    }),
    isConfigured: t.exposeBoolean('isConfigured', {
      description: 'Whether the operator has configured it. If not, its models fail.',
    }),
    models: t.stringList({
      description:
        'Models that prices, drafts, deployments and the latest turns name, as provider:name. Other names can exist.',
      resolve: ({ models }) => [...models],
    }),
  }),
});

const KnownModelsObject = builder.objectRef<KnownModels>('AvailableModels').implement({
  description: 'The models that a workflow can use. `demo` is always available.',
  fields: (t) => ({
    defaultModel: t.exposeString('defaultModel', {
      description: 'The model of workflows without a model of their own.',
    }),
    providers: t.field({
      type: [KnownProviderObject],
      description: 'All providers, configured or not.',
      resolve: ({ providers }) => [...providers],
    }),
  }),
});

builder.queryField('availableModels', (t) =>
  t.field({
    publishing: 'reads',
    type: KnownModelsObject,
    access: { scope: 'workflows:read' },
    description: 'The models that a workflow can use. Scope: workflows:read.',
    resolve: (_root, _args, { domain }) => knownModels(domain),
  }),
);
