import { DEMO_AGENT_ID, DEMO_CHAT_ID } from '../../src/domain/first-start.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // A test reads whatever the service answered, and asserts what it is.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
}

export interface SendOptions {
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  /** Null sends no credentials. */
  readonly key?: string | null;
  readonly headers?: Record<string, string>;
}

/** A client of the service over HTTP, as any other: what it knows is its address and a key. */
export interface Client {
  readonly url: string;
  send(method: string, path: string, options?: SendOptions): Promise<Answer>;
  graphql(query: string, variables?: object, options?: SendOptions): Promise<Answer>;
  /** A v2 turn of the demo agent. */
  agentTurn(text: string, fields?: object): Promise<Answer>;
  /** A v1 turn of the demo chat. */
  chat(text: string, fields?: object): Promise<Answer>;
}

export function clientOf(url: string, defaultKey: string): Client {
  const send: Client['send'] = async (method, path, { body, raw, key = defaultKey, headers = {} } = {}) => {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload !== undefined && { body: payload }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
  const turn = (path: string, text: string, fields: object) =>
    send('POST', path, { body: { content: [{ type: 'text', text }], ...fields } });
  return {
    url,
    send,
    graphql: (query, variables = {}, options = {}) =>
      send('POST', '/graphql', { ...options, body: { query, variables } }),
    agentTurn: (text, fields = {}) => turn(`/v2/runner/${DEMO_AGENT_ID}/conversation`, text, fields),
    chat: (text, fields = {}) => turn(`/v1/runner/${DEMO_CHAT_ID}/conversation`, text, fields),
  };
}
