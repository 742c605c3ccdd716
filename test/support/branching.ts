import { textContent } from './agent-apis.ts';
import type { Client, HttpResponse, SendOptions } from './client.ts';

/** A message as the REST API returns it. */
export interface ReadMessage {
  readonly id: number;
  readonly role: 'user' | 'assistant';
  readonly content: readonly { readonly text: string }[];
  readonly superseded_by?: string;
}

/** The operations that change the line of a conversation, as REST requests. */
export function branchesOf(client: Client) {
  const at = (id: string | undefined, rest: string) => `/v1/runner/conversation/${id}/${rest}`;
  const post = (id: string | undefined, rest: string, body: object, options: SendOptions): Promise<HttpResponse> =>
    client.send('POST', at(id, rest), { body, ...options });
  return {
    regenerate: (id: string | undefined, fields: object = {}, options: SendOptions = {}) =>
      post(id, 'regenerate', fields, options),
    fork: (id: string | undefined, fields: object = {}, options: SendOptions = {}) => post(id, 'fork', fields, options),
    select: (
      id: string | undefined,
      message: number | string | undefined,
      fields: object = {},
      options: SendOptions = {},
    ) => post(id, `messages/${message}/select`, fields, options),
    edit: (
      id: string | undefined,
      message: number | string | undefined,
      text: string,
      fields: object = {},
      options: SendOptions = {},
    ): Promise<HttpResponse> =>
      client.send('PATCH', at(id, `messages/${message}`), {
        body: { content: textContent(text), ...fields },
        ...options,
      }),
    async messages(id: string | undefined, query = '', options: SendOptions = {}): Promise<readonly ReadMessage[]> {
      return (await client.send('GET', at(id, `messages?page_size=100${query}`), options)).body.items;
    },
  };
}

/** The texts of messages. */
export const textsOf = (messages: readonly ReadMessage[]) => messages.map(({ content }) => content[0]?.text);

/** The `itemId` of a message. */
export const itemIdOf = (id: number | undefined) => `item_${String(id).padStart(16, '0')}`;
