import { randomUUID } from 'node:crypto';
import { DEMO_CHAT_ID } from '../../src/domain/first-start.ts';
import type { Client } from './client.ts';
import { graphPart } from './graph-content.ts';
import { ACCEPT_MULTIPART, resultsOf } from './multipart.ts';
import { errorOf, statusOf } from './results.ts';

/** A request of the matrix. Each transport writes it in its own form. */
export interface MatrixRequest {
  /** Null sends no credentials. */
  readonly key: string | null;
  readonly deploymentId: string;
  readonly text: unknown;
  readonly number: unknown;
  /** Raw JSON in place of the text, for input that JSON.stringify cannot write. */
  readonly rawText?: string;
  /** A field that the input type does not have. */
  readonly unknown?: boolean;
}

/** A response of any transport. `code` is undefined for success. */
export interface MatrixResponse {
  readonly status: number;
  readonly code: string | undefined;
  /** With the field names of GraphQL. */
  readonly param: string | null | undefined;
}

/** What a transport can express. A test skips the slots that a transport lacks. */
export interface Transport {
  readonly name: string;
  /** The `param` of each slot; undefined if the transport has no such input. */
  readonly slots: { readonly id?: string; readonly text?: string; readonly number?: string };
  readonly rejectsUnknown: boolean;
  readonly isStream: boolean;
  send(client: Client, request: MatrixRequest): Promise<MatrixResponse>;
}

const TURN_SLOTS = { id: 'deploymentId', text: 'content[0].text', number: 'historyLimit' };

/** JSON with the raw text inserted. */
function json(body: unknown, { rawText }: MatrixRequest): string {
  const text = JSON.stringify(body);
  return rawText === undefined ? text : text.replace('"RAW"', rawText);
}

const textOf = (request: MatrixRequest) => (request.rawText === undefined ? request.text : 'RAW');

const camelCase = (path: string) => path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function authorization({ key }: MatrixRequest): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

/** Reads a response to its end, or the first event of a stream. */
async function read(response: Response): Promise<MatrixResponse> {
  const type = response.headers.get('content-type') ?? '';
  const text = await firstText(response, type);
  const body = /^\s*\{/.test(text) ? JSON.parse(text.split('\n')[0] ?? '') : {};
  const error = errorOf({ body });
  const param = error?.param == null ? error?.param : camelCase(error.param);
  return { status: error ? statusOf(error) : response.status, code: error?.code, param };
}

async function firstText(response: Response, type: string): Promise<string> {
  if (type.includes('event-stream')) return firstEvent(response);
  if (!type.startsWith('multipart/mixed')) return response.text();
  for await (const result of resultsOf(response)) return JSON.stringify(result);
  throw new Error('The response has no part with a result.');
}

async function firstEvent(response: Response): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    text += next.value;
    const data = /^data: ?(\{.*\})$/m.exec(text)?.[1];
    if (data === undefined) continue;
    await reader?.cancel();
    const parsed = JSON.parse(data);
    return JSON.stringify(toolError(parsed) ?? parsed.payload ?? parsed);
  }
  return text;
}

/** The error that a tool returns as text. */
function toolError({ result }: { result?: { isError?: boolean; content: { text: string }[] } }): unknown {
  return result?.isError ? JSON.parse(result.content[0]?.text ?? '') : undefined;
}

function rest(name: string, path: (id: string) => string, accept?: string): Transport {
  return {
    name,
    slots: TURN_SLOTS,
    rejectsUnknown: false,
    isStream: accept !== undefined,
    async send(client, request) {
      const part = { type: 'text', text: textOf(request) };
      const extra = request.unknown ? { surprise: 1 } : {};
      return read(
        await fetch(`${client.url}${path(encodeURIComponent(request.deploymentId))}`, {
          method: 'POST',
          headers: { ...authorization(request), 'content-type': 'application/json', ...(accept && { accept }) },
          body: json({ content: [part], history_limit: request.number, ...extra }, request),
        }),
      );
    },
  };
}

const TURN = '($input: SendMessageInput!)';

const MUTATION = `mutation ${TURN} { sendMessage(input: $input) { __typename ... on SendMessagePayload { turn { content } } ... on Error { code message path } } }`;
const SUBSCRIPTION = `subscription ${TURN} { replyStream(input: $input) { event } }`;
const QUERY = `query ($deploymentId: ID!, $first: Int, $search: String) {
  conversations(first: $first, filter: { deploymentId: $deploymentId, search: $search }) { nodes { name } } }`;

function variablesOf(request: MatrixRequest): object {
  const extra = request.unknown ? { surprise: 1 } : {};
  const { deploymentId, number: historyLimit } = request;
  return { input: { deploymentId, content: [graphPart(textOf(request))], historyLimit, ...extra } };
}

function subscription(name: string, accept: string): Transport {
  return {
    name,
    slots: TURN_SLOTS,
    rejectsUnknown: true,
    isStream: true,
    send: async (client, request) =>
      read(
        await fetch(`${client.url}/graphql`, {
          method: 'POST',
          headers: { ...authorization(request), 'content-type': 'application/json', accept },
          body: json({ query: SUBSCRIPTION, variables: variablesOf(request) }, request),
        }),
      ),
  };
}

async function singleConnection(client: Client, request: MatrixRequest): Promise<MatrixResponse> {
  const url = `${client.url}/graphql/stream`;
  // The reservation itself requires a caller, so it rejects a wrong credential.
  const reserved = await fetch(url, { method: 'PUT', headers: authorization(request) });
  if (reserved.status !== 201) return read(reserved);
  const token = await reserved.text();
  const abort = new AbortController();
  const stream = await fetch(`${url}?token=${token}`, { signal: abort.signal });
  try {
    const extensions = { operationId: randomUUID() };
    const posted = await fetch(url, {
      method: 'POST',
      headers: {
        ...authorization(request),
        'content-type': 'application/json',
        'x-graphql-event-stream-token': token,
      },
      body: json({ query: SUBSCRIPTION, variables: variablesOf(request), extensions }, request),
    });
    return posted.status === 202 ? await read(stream) : await read(posted);
  } finally {
    abort.abort();
  }
}

/** Every path to an operation. Add a row for a new transport. */
export const TRANSPORTS: readonly Transport[] = [
  rest('v1', (id) => `/v1/runner/${id}/conversation`),
  rest('v2', (id) => `/v2/runner/${id}/conversation`),
  rest('v1 stream as text', (id) => `/v1/runner/${id}/conversation/stream`, 'text/plain'),
  rest('v1 stream as events', (id) => `/v1/runner/${id}/conversation/stream`, 'text/event-stream'),
  {
    name: 'POST /graphql',
    slots: TURN_SLOTS,
    rejectsUnknown: true,
    isStream: false,
    send: async (client, request) =>
      read(
        await fetch(`${client.url}/graphql`, {
          method: 'POST',
          headers: { ...authorization(request), 'content-type': 'application/json' },
          body: json({ query: MUTATION, variables: variablesOf(request) }, request),
        }),
      ),
  },
  {
    name: 'GET /graphql',
    slots: { id: 'deploymentId', text: 'search', number: 'first' },
    rejectsUnknown: false,
    isStream: false,
    async send(client, request) {
      const { deploymentId, number } = request;
      const variables = json({ deploymentId, first: number, search: textOf(request) }, request);
      const search = new URLSearchParams({ query: QUERY, variables });
      return read(await fetch(`${client.url}/graphql?${search}`, { headers: authorization(request) }));
    },
  },
  subscription('a subscription over SSE', 'text/event-stream'),
  subscription('a multipart subscription', ACCEPT_MULTIPART),
  subscription('a multipart subscription without JSON', 'multipart/mixed;subscriptionSpec=1.0'),
  {
    name: 'a subscription on /graphql/stream',
    slots: TURN_SLOTS,
    rejectsUnknown: true,
    isStream: true,
    send: singleConnection,
  },
  {
    name: 'a tool of the MCP server',
    slots: TURN_SLOTS,
    rejectsUnknown: true,
    isStream: true,
    send: async (client, request) => read(await callTool(client, request)),
  },
  {
    name: 'the UI message stream',
    slots: TURN_SLOTS,
    rejectsUnknown: false,
    isStream: true,
    async send(client, request) {
      const parts = [{ type: 'text', text: textOf(request) }];
      const extra = request.unknown ? { surprise: 1 } : {};
      const chat = { id: randomUUID(), messages: [{ id: 'm', role: 'user', parts }], trigger: 'submit-message' };
      return read(
        await fetch(`${client.url}/v1/runner/${encodeURIComponent(request.deploymentId)}/ui`, {
          method: 'POST',
          // Without it, an error is a sentence for people.
          headers: { ...authorization(request), 'content-type': 'application/json', accept: 'application/json' },
          body: json({ ...chat, history_limit: request.number, ...extra }, request),
        }),
      );
    },
  },
  {
    name: 'an export',
    slots: { id: 'conversationId' },
    rejectsUnknown: false,
    isStream: true,
    send: async (client, request) => {
      const id = encodeURIComponent(
        request.deploymentId === DEMO_CHAT_ID ? await conversationOf(client) : request.deploymentId,
      );
      return read(await fetch(`${client.url}/v1/conversations/${id}/export`, { headers: authorization(request) }));
    },
  },
];

function callTool(client: Client, request: MatrixRequest): Promise<Response> {
  const { deploymentId, number } = request;
  const extra = request.unknown ? { surprise: 1 } : {};
  const content = [{ type: 'text', text: textOf(request) }];
  const args = { deployment_id: deploymentId, content, history_limit: number, ...extra };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask_deployment', arguments: args } };
  return fetch(`${client.url}/mcp`, {
    method: 'POST',
    headers: {
      ...authorization(request),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: json(message, request),
  });
}

const conversations = new WeakMap<Client, Promise<string>>();

/** A conversation to export, started once for each client. */
function conversationOf(client: Client): Promise<string> {
  const cached = conversations.get(client) ?? client.chat('Hello').then(({ body }) => body.conversation_id as string);
  conversations.set(client, cached);
  return cached;
}

export { DEMO_CHAT_ID };
