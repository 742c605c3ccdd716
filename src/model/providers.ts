import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { BoundedCache } from '../cache/bounded-cache.ts';
import { type ModelProvider, PROVIDER_VARIABLES, providerModelOf } from '../contract/model-name.ts';
import { ModelError } from '../domain/agent/model-port.ts';
import { FILE_RULES, type FileRules } from './file-rules.ts';
import { OptionalFeatures } from './optional-features.ts';
import { addressOf } from './provider-fetch.ts';
import { anthropicOptions, compatibleOptions, type OptionsFor, openaiOptions } from './provider-reasoning.ts';
import { ChatReply } from './reply/chat-reply.ts';
import { MessagesReply } from './reply/messages-reply.ts';
import type { ReplyReader } from './reply/provider-reply.ts';

/** How to reach a provider. The default `baseUrl` is its public API. */
export interface ProviderSettings {
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
}

/** `openai-compatible` uses `openai.baseUrl`, and `openai.apiKey` if it is set. */
export interface ModelSettings {
  readonly openai?: ProviderSettings | undefined;
  readonly anthropic?: ProviderSettings | undefined;
}

/** A model of a provider, with what its requests need and the files that it accepts. */
export interface ProviderModel {
  readonly model: LanguageModelV3;
  readonly provider: ModelProvider;
  /** The limit of a reply in tokens, if the provider demands one that the adapter does not know. */
  readonly unknownLimit?: number | undefined;
  readonly optionsFor: OptionsFor;
  /** Makes the reader of one reply, in the protocol of the provider. */
  readonly startReader: () => ReplyReader;
  readonly files: FileRules;
  /** What the process has learned about its server. */
  readonly features: OptionalFeatures;
  /** Whether the provider can enforce a JSON Schema. The instructions state the schema in any case. */
  readonly takesSchema: boolean;
  /** The API key. A trace never contains it, even if the provider repeats it. */
  readonly apiKey: string | undefined;
}

/** A provider whose needed variable is set. */
export interface ConfiguredProvider extends ProviderSettings {
  readonly baseUrl: string;
}

/** How to reach a provider. Undefined: it is not configured. */
export function configuredProvider(settings: ModelSettings, provider: ModelProvider): ConfiguredProvider | undefined {
  const { apiKey, baseUrl } = (provider === 'anthropic' ? settings.anthropic : settings.openai) ?? {};
  const isConfigured = PROVIDER_VARIABLES[provider].needed === 'key' ? apiKey : baseUrl;
  return isConfigured ? { apiKey, baseUrl: baseUrl || PUBLIC_URLS[provider] } : undefined;
}

const chatReader = () => new ChatReply();
const messagesReader = () => new MessagesReply();
// Servers of chat completions cache without being asked.
const chatFeatures = () => new OptionalFeatures(['toolChoice']);

type ModelMaker = (name: string) => ProviderModel;

/** Explicit, because the adapters would otherwise read environment variables. */
const PUBLIC_URLS: Record<ModelProvider, string> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  'openai-compatible': '',
};

/** Anthropic requires a limit in every request. For other models than these the adapter would send 4,096. */
const HAS_KNOWN_LIMIT = /claude-(?!3)/;
const UNKNOWN_LIMIT = 8_192;

/** An adapter compiles the schema of its replies for each model, which takes 1 ms. Workflows choose any names. */
const MODEL_BYTES = 4_096;

/** The configured providers. */
export interface Providers {
  readonly find: (model: string) => ProviderModel;
  readonly isConfigured: (provider: ModelProvider) => boolean;
}

/**
 * Configures the providers once. `find` returns a model by its full name. It throws {@link ModelError} for
 * an invalid name, and for a provider that is not configured.
 */
export function openProviders(settings: ModelSettings): Providers {
  const makerOf = (provider: ModelProvider) => {
    const configured = configuredProvider(settings, provider);
    return configured && MAKERS[provider](configured);
  };
  const makers: Record<ModelProvider, ModelMaker | undefined> = {
    openai: makerOf('openai'),
    anthropic: makerOf('anthropic'),
    'openai-compatible': makerOf('openai-compatible'),
  };
  const models = new BoundedCache<ProviderModel>('models');
  const make = (model: string) => {
    const requested = providerModelOf(model);
    if (!requested) {
      const validNames = 'demo, openai:NAME, anthropic:NAME or openai-compatible:NAME';
      throw notConfigured(`There is no model ${model}. A model is ${validNames}.`);
    }
    const maker = makers[requested.provider];
    if (!maker) {
      const { needed, ...variables } = PROVIDER_VARIABLES[requested.provider];
      throw notConfigured(`The model ${model} needs ${variables[needed]} to be set.`);
    }
    return maker(requested.name);
  };
  const find = (name: string) => {
    const known = models.get(name);
    if (known) return known;
    const model = make(name);
    models.set(name, model, MODEL_BYTES);
    return model;
  };
  return { find, isConfigured: (provider) => makers[provider] !== undefined };
}

function notConfigured(message: string): ModelError {
  return new ModelError('failed', message, { reason: 'provider_not_configured' });
}

const MAKERS: Record<ModelProvider, (configured: ConfiguredProvider) => ModelMaker> = {
  openai: openaiModels,
  anthropic: anthropicModels,
  'openai-compatible': compatibleModels,
};

function openaiModels({ apiKey, baseUrl }: ConfiguredProvider): ModelMaker {
  const provider = createOpenAI({ ...withKey(apiKey), ...addressOf(baseUrl, apiKey) });
  // Chat completions, not responses: most servers with a custom base URL support only that protocol.
  const shared = {
    provider: 'openai' as const,
    optionsFor: openaiOptions,
    files: FILE_RULES.openai,
    takesSchema: true,
    startReader: chatReader,
    apiKey,
  };
  return (name) => ({ model: provider.chat(name), features: chatFeatures(), ...shared });
}

function anthropicModels({ apiKey, baseUrl }: ConfiguredProvider): ModelMaker {
  const provider = createAnthropic({ ...withKey(apiKey), ...addressOf(baseUrl) });
  const shared = { files: FILE_RULES.anthropic, takesSchema: false, startReader: messagesReader, apiKey };
  return (name) => ({
    provider: 'anthropic',
    model: provider(name),
    optionsFor: anthropicOptions(name),
    features: new OptionalFeatures(['promptCache', 'toolChoice']),
    unknownLimit: HAS_KNOWN_LIMIT.test(name) ? undefined : UNKNOWN_LIMIT,
    ...shared,
  });
}

function compatibleModels({ apiKey, baseUrl }: ConfiguredProvider): ModelMaker {
  const provider = createOpenAICompatible({
    name: 'openai-compatible',
    ...addressOf(baseUrl, apiKey),
    // Without it, streamed replies have no token counts.
    includeUsage: true,
    ...withKey(apiKey),
  });
  const shared = {
    provider: 'openai-compatible' as const,
    ...{ optionsFor: compatibleOptions, files: FILE_RULES['openai-compatible'] },
    ...{ takesSchema: false, startReader: chatReader, apiKey },
  };
  return (name) => ({ model: provider(name), features: chatFeatures(), ...shared });
}

const withKey = (apiKey: string | undefined) => (apiKey ? { apiKey } : {});
