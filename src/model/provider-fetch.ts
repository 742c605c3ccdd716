import { AsyncLocalStorage } from 'node:async_hooks';
import { APICallError, type LanguageModelV3, type LanguageModelV3CallOptions } from '@ai-sdk/provider';
import { Agent } from 'undici';
import { LIMITS } from '../contract/limits.ts';
import { ReplyStream } from './reply/stream.ts';
import { unreadable } from './unreadable.ts';

const agent = new Agent();

const MOST_REDIRECTS = 5;

/** The parameters that are added to the request that an adapter makes. Adapters drop those that they do not know. */
const addedParameters = new AsyncLocalStorage<Readonly<Record<string, unknown>>>();

/** Adds parameters to the end of the body, which is a JSON object. To parse it would take long: it can have megabytes. */
function withParameters(body: string, parameters: Readonly<Record<string, unknown>> = {}): string {
  if (Object.keys(parameters).length === 0) return body;
  return `${body.slice(0, -1)},${JSON.stringify(parameters).slice(1)}`;
}

/**
 * The fetch of all providers. The adapters make the requests and read the errors. A successful response is thrown, as a
 * {@link ReplyStream}: the adapters would pass each token through six web streams and a validation, which costs more
 * than all other work on a token.
 */
const providerFetch: typeof fetch = async (input, init) => {
  let url = new URL(String(input));
  // The lines of a compressed reply cannot be read.
  const headers = { ...(init?.headers as Record<string, string>), 'accept-encoding': 'identity' };
  const body = withParameters(init?.body as string, addedParameters.getStore());
  const rest = { method: 'POST' as const, headers, body };
  for (let left = MOST_REDIRECTS; ; left -= 1) {
    const reply = new ReplyStream(init?.signal ?? undefined);
    const request = { ...rest, origin: url.origin, path: url.pathname + url.search };
    const { status, headers: received } = await reply.start((handler) => agent.dispatch(request, handler));
    if (status >= 200 && status < 300) throw reply;
    const error = await reply.readBody(LIMITS.providerErrorBytes);
    const next = left > 0 ? redirectOf(url, status, received.get('location')) : undefined;
    if (!next) return responseOf(status, received, error);
    url = next;
  }
};

/** `Response` accepts neither statuses above 599, which count like those of a server's errors, nor a body with 304. */
function responseOf(status: number, headers: ReadonlyMap<string, string>, body: Uint8Array<ArrayBuffer>): Response {
  const init = { status: Math.min(status, 599), headers: [...headers] };
  const response = new Response(status === 304 ? null : body, init);
  return status > 599 ? Object.defineProperty(response, 'status', { value: status }) : response;
}

/** Where to send the request again: only to the same origin, because it has the key and the conversation. */
function redirectOf(url: URL, status: number, location: string | undefined): URL | undefined {
  if (!(status === 307 || status === 308) || location === undefined || !URL.canParse(location, url)) return undefined;
  const next = new URL(location, url);
  return next.origin === url.origin ? next : undefined;
}

/**
 * How an adapter reaches a base URL. Adapters append paths to the base URL, so its query is added to each request instead.
 * Azure OpenAI, which needs `?api-version=`, reads `apiKey` from a header of its own.
 */
export function addressOf(baseUrl: string, apiKey?: string): Address {
  const url = new URL(baseUrl);
  const { search } = url;
  const needsOwnHeader = apiKey !== undefined && url.searchParams.has('api-version');
  url.search = '';
  return {
    baseURL: url.href.replace(/\/+$/, ''),
    fetch: search === '' ? providerFetch : (input, init) => providerFetch(`${String(input)}${search}`, init),
    ...(needsOwnHeader && { headers: { 'api-key': apiKey } }),
  };
}

/** The settings of an adapter. */
interface Address {
  readonly baseURL: string;
  readonly fetch: typeof fetch;
  readonly headers?: Record<string, string>;
}

interface DocumentRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** Sent in a header of its own if the base URL needs it. */
  readonly apiKey?: string | undefined;
  /** Added to the query of the base URL. */
  readonly query?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/**
 * Reads a JSON document of a provider, such as its list of models, up to `LIMITS.offeredModelsBytes`.
 * @throws {APICallError} as for a model step, or {InvalidResponseDataError} if it is not JSON
 */
export async function readDocument(
  baseUrl: string,
  path: string,
  { headers, apiKey, query = {}, timeoutMs }: DocumentRequest,
): Promise<unknown> {
  const { baseURL, headers: ownHeaders } = addressOf(baseUrl, apiKey);
  const url = new URL(`${baseURL}${path}${new URL(baseUrl).search}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const reply = new ReplyStream(AbortSignal.timeout(timeoutMs));
  const request = {
    ...{ method: 'GET' as const, origin: url.origin, path: url.pathname + url.search },
    headers: { accept: 'application/json', 'accept-encoding': 'identity', ...headers, ...ownHeaders },
  };
  const fault = (details: object) =>
    new APICallError({ message: 'The request failed.', url: url.href, requestBodyValues: {}, ...details });
  const { status } = await reply
    .start((handler) => agent.dispatch(request, handler))
    .catch((cause: unknown) => {
      throw fault({ cause });
    });
  const body = Buffer.from(await reply.readBody(LIMITS.offeredModelsBytes)).toString();
  if (status !== 200) throw fault({ statusCode: status, responseBody: body.slice(0, LIMITS.providerErrorBytes) });
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw unreadable('The document is not JSON.', cause);
  }
}

/** Sends the request of a model's adapter, with these parameters. @throws the adapter's error if there is no successful response */
export async function openReply(
  model: LanguageModelV3,
  options: LanguageModelV3CallOptions,
  parameters: Readonly<Record<string, unknown>> = {},
): Promise<ReplyStream> {
  try {
    await addedParameters.run(parameters, () => model.doStream(options));
  } catch (thrown) {
    if (thrown instanceof ReplyStream) return thrown;
    throw thrown;
  }
  throw new Error('The adapter does not use the fetch of this service.');
}
