import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Request, Response } from 'express';
import { drained } from '../../http/shared-chunk.ts';

export interface Serving {
  /** The message, parsed. */
  readonly message: unknown;
  /** The response is an event stream from its beginning, which heartbeats keep open. */
  readonly isStreamed: boolean;
  readonly server: McpServerFactory;
}

/** The package serves one message: it negotiates the version, validates and frames. */
export async function serve(
  request: Request,
  response: Response,
  { message, isStreamed, server }: Serving,
): Promise<void> {
  const disconnected = new AbortController();
  response.once('close', () => disconnected.abort());
  const { signal } = disconnected;
  if (acceptsOnlyJson(request) && (await isLegacyRequest(webRequest(request, signal), message))) {
    const reply = await replyWithJson(webRequest(request, signal), message, server);
    return reply && write(reply, response);
  }
  const handler = createMcpHandler(server, { responseMode: isStreamed && acceptsStream(request) ? 'sse' : 'auto' });
  const options = message === undefined ? {} : { parsedBody: message };
  await write(await handler.fetch(webRequest(request, signal), options), response);
}

/** Whether the client reads event streams. A client that names no types reads all. */
export const acceptsStream = (request: Request): boolean => Boolean(request.accepts('text/event-stream'));

const acceptsJson = (request: Request): boolean => Boolean(request.accepts('application/json'));

const acceptsOnlyJson = (request: Request): boolean => acceptsJson(request) && !acceptsStream(request);

/**
 * Serves a message of the earlier era with one JSON body, because the handler of the package only streams there. The
 * protocol requires clients to accept streams, but not all do. Undefined: the client has disconnected.
 */
async function replyWithJson(
  request: globalThis.Request,
  message: unknown,
  factory: McpServerFactory,
): Promise<globalThis.Response | undefined> {
  request.headers.set('accept', BOTH_TYPES);
  const server = await factory({ era: 'legacy', requestInfo: request });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  const left = new Promise<undefined>((resolve) => {
    request.signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  try {
    return await Promise.race([left, transport.handleRequest(request, { parsedBody: message })]);
  } finally {
    await transport.close();
    await server.close();
  }
}

const BOTH_TYPES = 'application/json, text/event-stream';

/** The request without its body, which is parsed already. To write it again would block other requests. */
function webRequest(request: Request, signal: AbortSignal): globalThis.Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, [value].flat().join(', '));
  }
  // The package reads no wildcards.
  if (acceptsStream(request) && acceptsJson(request)) headers.set('accept', BOTH_TYPES);
  return new Request('http://localhost/mcp', { method: request.method, headers, signal });
}

async function write({ status, headers, body }: globalThis.Response, response: Response): Promise<void> {
  if (response.destroyed) return;
  response.status(status);
  for (const [name, value] of headers) response.setHeader(name, value);
  if (!body) return void response.end();
  response.flushHeaders();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    // A client that has gone learns the result from the conversation.
    if (response.closed) return void reader.cancel();
    if (done) return void response.end();
    if (!response.write(value)) await drained(response);
  }
}
