import { DEMO_AGENT_ID, DEMO_CHAT_ID } from '../../src/domain/first-start.ts';
import { undocumented } from './openapi.ts';

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

/** An answer that openapi.json does not know: no test takes such, whatever else it asks for. */
class Undocumented extends Error {
  constructor(method: string, path: string, problems: readonly string[], answer: Answer) {
    super(`${method} ${path} ${answer.status}: ${problems.join('; ')}: ${JSON.stringify(answer.body).slice(0, 1_000)}`);
    this.name = 'Undocumented';
  }
}

/** A client of the service over HTTP, as any other: what it knows is its address and a key. */
export interface Client {
  readonly url: string;
  /** What it sends where a request says nothing else. */
  readonly key: string;
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
    const isJson = method !== 'HEAD' && /[/+]json\b/.test(response.headers.get('content-type') ?? '');
    const answer = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    const problems = undocumented(method, path, answer);
    if (problems.length > 0) throw new Undocumented(method, path, problems, answer);
    return answer;
  };
  const turn = (path: string, text: string, fields: object) =>
    send('POST', path, { body: { content: [{ type: 'text', text }], ...fields } });
  return {
    url,
    key: defaultKey,
    send,
    graphql: (query, variables = {}, options = {}) =>
      send('POST', '/graphql', { ...options, body: { query, variables } }),
    agentTurn: (text, fields = {}) => turn(`/v2/runner/${DEMO_AGENT_ID}/conversation`, text, fields),
    chat: (text, fields = {}) => turn(`/v1/runner/${DEMO_CHAT_ID}/conversation`, text, fields),
  };
}

/** The same client in a browser that has these cookies, on a page of the service's own. */
export function withCookies(client: Client, cookie: string): Client {
  const send: Client['send'] = (method, path, options = {}) =>
    client.send(method, path, { key: null, ...options, headers: { cookie, ...options.headers } });
  return {
    ...client,
    send,
    graphql: (query, variables = {}, options = {}) =>
      send('POST', '/graphql', { ...options, body: { query, variables } }),
  };
}
