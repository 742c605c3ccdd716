import { DEMO_MODEL } from '../contract/model-name.ts';
import type { ModelPort } from '../domain/agent/model-port.ts';
import { createGuardedFetcher, type GuardedFetcher } from '../outbound/guarded-fetch.ts';
import { demoModel } from './demo-model.ts';
import { modelOffers } from './offered-models.ts';
import { providerStep } from './provider-step.ts';
import { type ModelSettings, openProviders } from './providers.ts';

/**
 * Opens the models of this service: `demo`, and `PROVIDER:NAME` for the configured providers.
 * The fetcher downloads files of messages if a provider accepts them only as data.
 *
 * @example
 * const models = createModels({ openai: { apiKey: 'sk-…' } });
 * await models.step({ model: 'openai:gpt-x', … });
 */
export function createModels(settings: ModelSettings, fetcher: GuardedFetcher = createGuardedFetcher()): ModelPort {
  const providers = openProviders(settings);
  return {
    isConfigured: providers.isConfigured,
    offer: modelOffers(settings),
    async step(request, onText) {
      if (request.model === DEMO_MODEL) return demoModel.step(request, onText);
      return providerStep({ ...providers.find(request.model), fetcher }, request, onText);
    },
  };
}
