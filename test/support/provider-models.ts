import type { ModelPort } from '../../src/domain/agent/model-port.ts';
import { createModels } from '../../src/model/models.ts';

/** Models whose providers all have one address and one key. */
export function modelsAt(baseUrl: string, apiKey = 'a-key'): ModelPort {
  const settings = { apiKey, baseUrl };
  return createModels({ openai: settings, anthropic: settings });
}
