import { textContent } from './agent-apis.ts';
import type { FakeReply, FakeRequest } from './fake-provider.ts';
import type { ProviderService } from './provider-service.ts';

/** A model of each API dialect. */
export const MODELS = ['openai-compatible:m', 'openai:m', 'anthropic:m'] as const;

/** The context COMPACT with its least limit. */
export const COMPACT = { context: 'compact', contextTokens: 8_000 } as const;

/** A conversation of an agent whose provider the test controls. */
export class Talk {
  readonly #provided: ProviderService;
  readonly deploymentId: string;
  #first: number;
  id: string | undefined;

  private constructor(provided: ProviderService, deploymentId: string) {
    this.#provided = provided;
    this.deploymentId = deploymentId;
    this.#first = provided.provider.requests.length;
  }

  static async with(provided: ProviderService, config: Parameters<ProviderService['agent']>[0]): Promise<Talk> {
    return new Talk(provided, await provided.agent(config));
  }

  /** A conversation of these messages. The reply to a message is its text in capitals. */
  static async of(provided: ProviderService, ...said: readonly string[]): Promise<Talk> {
    const talk = await Talk.with(provided, {});
    for (const text of said) {
      provided.provider.reply(replyWith(text.toUpperCase()));
      await talk.say(text);
    }
    talk.forget();
    return talk;
  }

  /** The requests that the provider got since the talk began, or since the last call of `forget`. */
  get requests(): readonly FakeRequest[] {
    return this.#provided.provider.requests.slice(this.#first);
  }

  forget(): void {
    this.#first = this.#provided.provider.requests.length;
  }

  send(fields: object) {
    return this.#provided.turn(this.deploymentId, { ...(this.id && { conversation_id: this.id }), ...fields });
  }

  async say(text: string, fields: object = {}) {
    const { status, body } = await this.send({ content: textContent(text), ...fields });
    if (status !== 200) throw new Error(JSON.stringify(body));
    this.id = body.conversation_id;
    return body;
  }

  async items(
    query = '',
  ): Promise<readonly { readonly id: string; readonly type: string; readonly output?: unknown }[]> {
    const path = `/v2/runner/${this.deploymentId}/conversation/${this.id}/history?limit=100${query}`;
    return (await this.#provided.service.send('GET', path)).body.items;
  }

  async summaries(): Promise<
    readonly { readonly text: string; readonly first_item_id: string; readonly last_item_id: string }[]
  > {
    const items = await this.items('&include=summaries');
    return items.filter(({ type }) => type === 'summary') as never;
  }
}

/** A reply, with the provider's count of the prompt. */
export const replyWith = (text: string, input = 10): FakeReply => ({
  kind: 'answer',
  deltas: [text],
  usage: { input, output: 5 },
});

/** About 1,500 tokens. */
export const LONG = 'lorem ipsum '.repeat(500);
