import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import { type ModelProvider, providerModelOf } from '../contract/model-name.ts';
import { ModelFailure } from '../domain/agent/model-port.ts';
import { FILE_RULES, type FileRules } from './file-rules.ts';

/** How one provider is reached. Without `baseUrl`: at its own public address. */
export interface ProviderSettings {
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
}

/** `openai-compatible` is reached at `openai.baseUrl`, with `openai.apiKey` where there is one. */
export interface ModelSettings {
  readonly openai?: ProviderSettings | undefined;
  readonly anthropic?: ProviderSettings | undefined;
}

/** A model of the AI SDK with what has to be said to it in every request, and the files that it takes. */
export interface SdkModel {
  readonly model: LanguageModel;
  readonly settings?: { readonly maxOutputTokens: number };
  readonly files: FileRules;
  /** Whether it can be held to a JSON Schema; to the others the instructions tell it, as to this one. */
  readonly takesSchema: boolean;
}

type ModelMaker = (name: string) => SdkModel;

// Written out, because the SDK would otherwise look into the environment by itself.
const OPENAI_URL = 'https://api.openai.com/v1';
const ANTHROPIC_URL = 'https://api.anthropic.com/v1';

/** Anthropic asks for a limit in every request, and the SDK's guess for models it does not know is 4,096. */
const ANTHROPIC_MAX_OUTPUT_TOKENS = 8192;

const NEEDED_VARIABLE: Record<ModelProvider, string> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  'openai-compatible': 'OPENAI_BASE_URL',
};

/**
 * Sets the providers up once and returns how to find a model by its full name.
 * The finder throws {@link ModelFailure} for a name it cannot read and for a provider that is not set up.
 */
export function openProviders(settings: ModelSettings): (model: string) => SdkModel {
  const makers: Record<ModelProvider, ModelMaker | undefined> = {
    openai: openaiModels(settings.openai ?? {}),
    anthropic: anthropicModels(settings.anthropic ?? {}),
    'openai-compatible': compatibleModels(settings.openai ?? {}),
  };
  return (model) => {
    const asked = providerModelOf(model);
    if (!asked) {
      const known = 'demo, openai:NAME, anthropic:NAME or openai-compatible:NAME';
      throw new ModelFailure('failed', `There is no model ${model}. A model is ${known}.`);
    }
    const maker = makers[asked.provider];
    if (!maker) {
      throw new ModelFailure('failed', `The model ${model} needs ${NEEDED_VARIABLE[asked.provider]} to be set.`);
    }
    return maker(asked.name);
  };
}

function openaiModels({ apiKey, baseUrl }: ProviderSettings): ModelMaker | undefined {
  if (!apiKey) return undefined;
  const provider = createOpenAI({ apiKey, baseURL: baseUrl || OPENAI_URL });
  // Chat completions, not responses: servers behind a custom base URL mostly know no other protocol.
  return (name) => ({ model: provider.chat(name), files: FILE_RULES.openai, takesSchema: true });
}

function anthropicModels({ apiKey, baseUrl }: ProviderSettings): ModelMaker | undefined {
  if (!apiKey) return undefined;
  const provider = createAnthropic({ apiKey, baseURL: baseUrl || ANTHROPIC_URL });
  const settings = { maxOutputTokens: ANTHROPIC_MAX_OUTPUT_TOKENS };
  return (name) => ({ model: provider(name), settings, files: FILE_RULES.anthropic, takesSchema: false });
}

function compatibleModels({ apiKey, baseUrl }: ProviderSettings): ModelMaker | undefined {
  if (!baseUrl) return undefined;
  const provider = createOpenAICompatible({
    name: 'openai-compatible',
    baseURL: baseUrl,
    // Without it no tokens are counted in a streamed answer.
    includeUsage: true,
    ...(apiKey ? { apiKey } : {}),
  });
  return (name) => ({ model: provider(name), files: FILE_RULES['openai-compatible'], takesSchema: false });
}
