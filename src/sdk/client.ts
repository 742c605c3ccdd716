import { createAgent } from './agent.ts';
import type { AgentController, AgentOptions } from './agent-api.ts';
import { createConversation } from './conversation.ts';
import type { ConversationController } from './conversation-api.ts';
import { type ClientOptions, readOptions } from './options.ts';
import { type RunEvent, type RunOptions, runOnce, streamOnce } from './runs.ts';
import { createTriggerApi, type TriggerApi } from './triggers.ts';
import type { OneShotRun } from './turn.ts';

/** A client of one deployment. */
export interface ParleyClient {
  /**
   * Answers one message outside of any conversation.
   *
   * @example
   * const { content } = await client.run({ content: 'Summarize this: …' });
   * @throws {ParleyError} 502 `model_error`, 504 `model_timeout`; any other of the service
   */
  run(options: RunOptions): Promise<OneShotRun>;

  /**
   * The same, as the reply is made: any number of `delta`, then `done`. Leaving the loop stops the reply.
   *
   * @example
   * for await (const event of client.stream({ content: 'Tell me a story' })) {
   *   if (event.type === 'delta') process.stdout.write(event.text);
   * }
   * @throws {ParleyError} as {@link ParleyClient.run}; `connection_error` where it is cut off
   */
  stream(options: RunOptions): AsyncIterableIterator<RunEvent>;

  /**
   * An ordinary conversation (v1).
   *
   * @example
   * await client.conversation.stream({ content: 'Hello' });
   */
  readonly conversation: ConversationController;

  /**
   * An agent conversation (v2).
   *
   * @example
   * await client.agent.start({ content: 'Hello' });
   */
  readonly agent: AgentController;

  /**
   * Prepared first messages.
   *
   * @example
   * const { conversationId, expired } = await client.trigger.get(tid);
   */
  readonly trigger: TriggerApi;

  /**
   * Another agent conversation beside `agent`: a controller has one open at a time.
   *
   * @example
   * const agent = client.createAgent({ clientTools: { lookup_customer: findCustomer } });
   */
  createAgent(options?: AgentOptions): AgentController;

  /**
   * Another ordinary conversation beside `conversation`.
   *
   * @example
   * const [left, right] = [client.createConversation(), client.createConversation()];
   */
  createConversation(): ConversationController;
}

/**
 * Makes a client. Sends nothing. Requests that fail on the way, are refused for a while (429) or meet a fault of the
 * server (5xx) are sent again for some 15 s, each POST under an `Idempotency-Key` of its own, so that nothing is done
 * twice.
 *
 * @example
 * const client = createClient({ baseUrl: 'https://parley.example.com', deploymentId, apiKey: process.env.PARLEY_KEY });
 * @throws {ParleyError} `invalid_call` where an option cannot be used
 */
export function createClient(options: ClientOptions): ParleyClient {
  const settings = readOptions(options);
  return {
    run: (own) => runOnce(settings, own),
    stream: (own) => streamOnce(settings, own),
    conversation: createConversation(settings),
    agent: createAgent(settings),
    trigger: createTriggerApi(settings),
    createAgent: (own) => createAgent(settings, own),
    createConversation: () => createConversation(settings),
  };
}
