import { type ModelProvider, PROVIDER_VARIABLES } from '../../../contract/model-name.ts';

interface ProviderFacts {
  readonly title: string;
  /** Which models it has, as a sentence. */
  readonly serves: string;
  /** Values that show the form of each variable. */
  readonly key: string;
  readonly url: string;
}

/** Each provider for people. */
export const PROVIDER_FACTS: Readonly<Record<ModelProvider, ProviderFacts>> = {
  openai: {
    title: 'OpenAI',
    serves: 'The models of OpenAI, and of Azure OpenAI with its base URL.',
    key: 'sk-…',
    url: 'https://NAME.openai.azure.com/openai/deployments/NAME?api-version=2024-10-21',
  },
  anthropic: {
    title: 'Anthropic',
    serves: 'The Claude models of Anthropic.',
    key: 'sk-ant-…',
    url: 'https://api.anthropic.com/v1',
  },
  'openai-compatible': {
    title: 'OpenAI-compatible server',
    serves: 'Models of a server with the chat completions API, like Ollama, vLLM, OpenRouter or Mistral.',
    key: 'the key of the server, if it needs one',
    url: 'http://127.0.0.1:11434/v1',
  },
};

/** The lines of `.env` for a provider. What it can do without is a comment. */
export function variablesOf(provider: ModelProvider): string {
  const { key, url, needed } = PROVIDER_VARIABLES[provider];
  const facts = PROVIDER_FACTS[provider];
  const own = { key: `${key}=${facts.key}`, url: `${url}=${facts.url}` };
  const other = needed === 'key' ? own.url : own.key;
  return [own[needed], `# ${other}`, `DEFAULT_MODEL=${provider}:NAME`].join('\n');
}
