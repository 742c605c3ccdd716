import { DEMO_MODEL } from '../contract/model-name.ts';
import type { ModelPort } from '../domain/agent/model-port.ts';
import { createGuardedFetcher, type GuardedFetcher } from '../outbound/guarded-fetch.ts';
import { aiSdkStep } from './ai-sdk-step.ts';
import { demoModel } from './demo-model.ts';
import { type ModelSettings, openProviders } from './providers.ts';

/**
 * The models of this service, behind one port: `demo`, and `PROVIDER:NAME` for the providers that are set up.
 * The fetcher downloads files of messages where a provider takes them as data alone.
 *
 * @example
 * const models = createModels({ openai: { apiKey: 'sk-…' } });
 * await models.step({ model: 'openai:gpt-x', … });
 */
export function createModels(settings: ModelSettings, fetcher: GuardedFetcher = createGuardedFetcher()): ModelPort {
  const findModel = openProviders(settings);
  return {
    async step(request, onText) {
      if (request.model === DEMO_MODEL) return demoModel.step(request, onText);
      return aiSdkStep({ ...findModel(request.model), fetcher }, request, onText);
    },
  };
}
