import { createAgent } from './agent.ts';
import type { AgentController, AgentOptions } from './agent-api.ts';
import { createConversation } from './conversation.ts';
import type { ConversationController } from './conversation-api.ts';
import { createFilesApi, type FilesApi } from './files.ts';
import { type ClientOptions, readOptions } from './options.ts';
import { type RunEvent, type RunOptions, runOnce, streamOnce } from './runs.ts';
import { createTriggerApi, type TriggerApi } from './triggers.ts';
import type { OneShotRun } from './turn.ts';

/** A client of one deployment. Made by {@link createClient}. */
export interface ParleyClient {
  /**
   * Sends one message without a conversation and waits for the whole reply.
   *
   * @example
   * const { content } = await client.run({ content: 'Summarize this: …' });
   * @throws {ParleyError} 400 `invalid_request`, 401 `unauthorized`, 502 `model_error`, 504 `model_timeout`
   */
  run(options: RunOptions): Promise<OneShotRun>;

  /**
   * Like {@link ParleyClient.run}, but streams the reply: `delta` events, then one `done`. Leaving the loop stops the
   * reply.
   *
   * @example
   * for await (const event of client.stream({ content: 'Tell me a story' })) {
   *   if (event.type === 'delta') process.stdout.write(event.text);
   * }
   * @throws {ParleyError} as {@link ParleyClient.run}; `connection_error` if the stream is cut off
   */
  stream(options: RunOptions): AsyncIterableIterator<RunEvent>;

  /**
   * A chat conversation (v1): text in, streamed text out.
   *
   * @example
   * await client.conversation.stream({ content: 'Hello' });
   */
  readonly conversation: ConversationController;

  /**
   * An agent conversation (v2): the assistant can call tools of the client.
   *
   * @example
   * await client.agent.start({ content: 'Hello' });
   */
  readonly agent: AgentController;

  /**
   * Creates and reads prepared first messages.
   *
   * @example
   * const { conversationId, expired } = await client.trigger.get(tid);
   */
  readonly trigger: TriggerApi;

  /**
   * Uploads files and reads them.
   *
   * @example
   * const { part } = await client.files.upload(file);
   */
  readonly files: FilesApi;

  /**
   * Makes another agent controller. Each controller has one open conversation.
   *
   * Options may be a function. The controller calls it whenever it uses them, so tools can change.
   *
   * @example
   * const agent = client.createAgent({ clientTools: { lookup_customer: findCustomer } });
   */
  createAgent(options?: AgentOptions | (() => AgentOptions)): AgentController;

  /**
   * Makes another chat controller. Each controller has one open conversation.
   *
   * @example
   * const [left, right] = [client.createConversation(), client.createConversation()];
   */
  createConversation(): ConversationController;
}

/**
 * Makes a client. It sends no request.
 *
 * The client retries a request for about 15 s (`maxRetries`) after a connection error, 429 or 5xx. Each POST has an
 * `Idempotency-Key`, so that a retry does not repeat the change.
 *
 * @example
 * const client = createClient({ baseUrl: 'https://parley.example.com', deploymentId, apiKey: process.env.PARLEY_KEY });
 * @throws {ParleyError} `invalid_call` if an option is invalid, for example if `baseUrl` is missing
 */
export function createClient(options: ClientOptions): ParleyClient {
  const settings = readOptions(options);
  return {
    run: (run) => runOnce(settings, run),
    stream: (run) => streamOnce(settings, run),
    conversation: createConversation(settings),
    agent: createAgent(settings),
    trigger: createTriggerApi(settings),
    files: createFilesApi(settings),
    createAgent: (agentOptions) => createAgent(settings, agentOptions),
    createConversation: () => createConversation(settings),
  };
}
