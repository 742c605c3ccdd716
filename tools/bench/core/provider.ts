import { send } from './helper-messages.ts';
import { startService, startTarget, type Target } from './processes.ts';
import type { Protocol } from './replies.ts';

/** What the provider does with the next requests. */
export interface ProviderOrder {
  /** The number of tokens of a reply. */
  readonly tokens: number;
  /** The milliseconds between two tokens. 0: each token is sent as soon as the one before it is written. */
  readonly everyMs: number;
  /** Whether it counts the tokens of each prompt: four bytes each. Default: every prompt has 20. */
  readonly countsPrompts?: boolean;
}

/** What the provider has received so far. */
export interface ProviderCount {
  readonly receivedBytes: number;
}

/** A provider of chat completions and messages, in a separate process. Its replies to `/ask` call `ask_user`. */
export interface BenchProvider {
  /** Its base URL. */
  readonly url: string;
  /** Starts a service that uses it. */
  startService(protocol: Protocol, databaseUrl: string, nodeOptions?: readonly string[]): Promise<Target>;
  setReplies(order: ProviderOrder): Promise<void>;
  /** The bytes of all requests so far. */
  receivedBytes(): Promise<number>;
}

export async function startProvider(): Promise<BenchProvider> {
  const { url: origin, child } = await startTarget({ script: 'bench/provider.js' });
  const url = `${origin}/v1`;
  const chat = { DEFAULT_MODEL: 'openai:gpt-bench', OPENAI_API_KEY: 'a-key', OPENAI_BASE_URL: url };
  const messages = { DEFAULT_MODEL: 'anthropic:claude-bench', ANTHROPIC_API_KEY: 'a-key', ANTHROPIC_BASE_URL: url };
  return {
    url,
    startService: (protocol, databaseUrl, nodeOptions) =>
      startService({ DATABASE_URL: databaseUrl, ...(protocol === 'chat' ? chat : messages) }, nodeOptions),
    async setReplies(order) {
      await send<ProviderOrder, ProviderCount>(child, order);
    },
    receivedBytes: async () => (await send<Partial<ProviderOrder>, ProviderCount>(child, {})).receivedBytes,
  };
}
