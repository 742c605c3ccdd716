import { LIMITS } from '../../../contract/limits.ts';
import type { ModelProvider } from '../../../contract/model-name.ts';
import { formatCount } from '../../../contract/quantities.ts';
import { explainFailure } from '../../../contract/run-failures.ts';
import type { ModelOffer } from '../../../domain/agent/model-port.ts';
import { type KnownModels, type KnownProvider, knownModels } from '../../../domain/usage/known-models.ts';
import { builder } from '../builder.ts';
import { Failure } from '../conversations/run-failures.ts';

const Offer = builder.objectRef<ModelOffer & { readonly provider: ModelProvider }>('ModelOffer').implement({
  description: 'What a provider answered when the service asked for its models.',
  fields: (t) => ({
    models: t.stringList({
      description: `Its models, as provider:name: the first ${formatCount(LIMITS.offeredModels)} in alphabetical order, without fine-tuned ones and without those of OpenAI that cannot chat. Also empty: it has no list. Models that are not in the list can exist.`,
      resolve: ({ models }) => [...models],
    }),
    failure: t.field({
      type: Failure,
      nullable: true,
      description: 'Why it did not answer. Null: it did.',
      resolve: ({ failure, provider }) => failure && explainFailure(failure, `${provider}:NAME`),
    }),
    askedAt: t.expose('askedAt', { type: 'DateTime', description: 'When the service asked.' }),
  }),
});

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
    offer: t.field({
      type: Offer,
      nullable: true,
      description: 'What it offers. A process asks it at most once per minute. Null: it is not configured.',
      resolve: async ({ provider }, _args, { domain }) => {
        const offer = await domain.services.ports.model.offer(provider);
        return offer ? { ...offer, provider } : null;
      },
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
