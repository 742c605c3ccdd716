/** The providers a model can be asked of through the AI SDK. */
export const MODEL_PROVIDERS = ['openai', 'anthropic', 'openai-compatible'] as const;

export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

/** The model that needs no provider and no key. */
export const DEMO_MODEL = 'demo';

const PROVIDER_MODEL = new RegExp(`^(${MODEL_PROVIDERS.join('|')}):(\\S{1,200})$`);

/** A provider's model: `openai:gpt-x` is the model `gpt-x` of `openai`. */
export interface ProviderModel {
  readonly provider: ModelProvider;
  readonly name: string;
}

/** Reads `PROVIDER:NAME`; undefined for anything else, `demo` included. */
export function providerModelOf(text: string): ProviderModel | undefined {
  const [, prefix, name] = PROVIDER_MODEL.exec(text) ?? [];
  const provider = MODEL_PROVIDERS.find((known) => known === prefix);
  return provider === undefined || name === undefined ? undefined : { provider, name };
}

/** Whether a text can name a model: `demo` or `PROVIDER:NAME`. Says nothing of whether the provider is set up. */
export function isModelName(text: string): boolean {
  return text === DEMO_MODEL || providerModelOf(text) !== undefined;
}
