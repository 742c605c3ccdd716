/** Model providers, through the AI SDK. */
export const MODEL_PROVIDERS = ['openai', 'anthropic', 'openai-compatible'] as const;

export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

/** The environment variables of a provider. It is configured if the needed one is set. */
export interface ProviderVariables {
  readonly key: string;
  readonly url: string;
  readonly needed: 'key' | 'url';
}

export const PROVIDER_VARIABLES: Readonly<Record<ModelProvider, ProviderVariables>> = {
  openai: { key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL', needed: 'key' },
  anthropic: { key: 'ANTHROPIC_API_KEY', url: 'ANTHROPIC_BASE_URL', needed: 'key' },
  'openai-compatible': { key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL', needed: 'url' },
};

/** The built-in model. It needs no provider and no API key. */
export const DEMO_MODEL = 'demo';

const PROVIDER_MODEL = new RegExp(`^(${MODEL_PROVIDERS.join('|')}):(\\S{1,200})$`);

/** `openai:gpt-x` is the model `gpt-x` of the provider `openai`. */
export interface ProviderModel {
  readonly provider: ModelProvider;
  readonly name: string;
}

/** Parses `PROVIDER:NAME`. Undefined for anything else, including `demo`. */
export function providerModelOf(text: string): ProviderModel | undefined {
  const [, prefix, name] = PROVIDER_MODEL.exec(text) ?? [];
  const provider = MODEL_PROVIDERS.find((candidate) => candidate === prefix);
  return provider === undefined || name === undefined ? undefined : { provider, name };
}

/** Whether the text has the form `demo` or `PROVIDER:NAME`. Does not check that the provider is configured. */
export function isModelName(text: string): boolean {
  return text === DEMO_MODEL || providerModelOf(text) !== undefined;
}
