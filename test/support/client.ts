import { DEMO_AGENT_ID, DEMO_CHAT_ID } from '../../src/domain/first-start.ts';
import { publicSchema } from '../../src/graphql/schema/schema.ts';
import { undocumented } from './openapi.ts';

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  // A test reads any response of the service and asserts its shape.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
}

export interface SendOptions {
  readonly body?: unknown;
  /** Sent unchanged instead of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  /** Null sends no credentials. */
  readonly key?: string | null;
  readonly headers?: Record<string, string>;
  /** Reads a feed only up to this text, because a feed does not end. Empty: only its headers. */
  readonly until?: string;
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal;
}

/** A response that openapi.json does not document. It fails every test. */
class UndocumentedResponseError extends Error {
  constructor(method: string, path: string, problems: readonly string[], received: HttpResponse) {
    super(
      `${method} ${path} ${received.status}: ${problems.join('; ')}: ${JSON.stringify(received.body).slice(0, 1_000)}`,
    );
    this.name = 'UndocumentedResponseError';
  }
}

/**
 * Every error of a mutation that is not a fault must be a member of its result. The pipeline rejects a request before it
 * executes a field, so errors with the path of a root field come from its resolver.
 */
function requireDeclared({ body }: HttpResponse): void {
  for (const { path, extensions } of Array.isArray(body?.errors) ? body.errors : []) {
    if (path?.length !== 1 || !MUTATIONS.has(path[0]) || !RETURNABLE.has(extensions?.status)) continue;
    throw new Error(`${path[0]} does not declare its error ${extensions.code}.`);
  }
}

const MUTATIONS = new Set(Object.keys(publicSchema.getMutationType()?.getFields() ?? {}));

/** Statuses of errors that mutations return. */
const RETURNABLE = new Set([400, 404, 409, 410, 412]);

async function readUntil(response: Response, end: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  if (end === '') await response.body?.cancel();
  else
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes as Uint8Array, { stream: true });
      if (text.includes(end)) break;
    }
  return text;
}

/** An HTTP client of the service. It knows only the address and a key. */
export interface Client {
  readonly url: string;
  /** The key of requests that name no other. */
  readonly key: string;
  send(method: string, path: string, options?: SendOptions): Promise<HttpResponse>;
  graphql(query: string, variables?: object, options?: SendOptions): Promise<HttpResponse>;
  /** A v2 turn of the demo agent. */
  agentTurn(text: string, fields?: object): Promise<HttpResponse>;
  /** A v1 turn of the demo chat. */
  chat(text: string, fields?: object): Promise<HttpResponse>;
}

export function clientOf(url: string, defaultKey: string): Client {
  const send: Client['send'] = async (method, path, { signal = null, ...options } = {}) => {
    const { body, raw, key = defaultKey, headers = {}, until } = options;
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload !== undefined && { body: payload }),
      signal,
    });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    const text = until === undefined || !isStream ? await response.text() : await readUntil(response, until);
    const isJson = method !== 'HEAD' && /[/+]json\b/.test(response.headers.get('content-type') ?? '');
    const received = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    const problems = undocumented(method, path, received);
    if (problems.length > 0) throw new UndocumentedResponseError(method, path, problems, received);
    requireDeclared(received);
    return received;
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

let addresses = 0;

/**
 * The same client with a new IP address for each request, so that limits per address do not affect a test. The service
 * must trust the proxy header: `startService({ trustProxy: 'loopback' })`.
 */
export function fromManyAddresses<Base extends Client>(client: Base): Base {
  const send: Client['send'] = (method, path, options = {}) => {
    addresses += 1;
    const headers = {
      'x-forwarded-for': `2001:db8:${(addresses >> 16).toString(16)}:${(addresses & 0xffff).toString(16)}::1`,
    };
    return client.send(method, path, { ...options, headers: { ...headers, ...options.headers } });
  };
  return {
    ...client,
    send,
    graphql: (query, variables = {}, options = {}) =>
      send('POST', '/graphql', { ...options, body: { query, variables } }),
  };
}

/** The same client in a browser with these cookies, on a page of the service. */
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
