import { randomUUID } from 'node:crypto';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CancelledNotificationSchema, isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import express, { type Request, type Response, type Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { readBody } from '../../http/body/body.ts';
import { exchangeOf } from '../../http/exchange.ts';
import { rejectMethod } from '../../http/unrouted.ts';
import type { Exchange } from '../../operation/exchange.ts';
import type { OpenRequest } from '../../operation/operation-request.ts';
import { requireCaller } from '../../operation/published-documents.ts';
import { uuidOf } from '../../operation/uuid.ts';
import type { Route } from '../../rest/route.ts';
import { cancel } from './cancellation.ts';
import type { McpParts } from './parts.ts';
import { createServer } from './server.ts';
import { toolsOf } from './tool.ts';

/**
 * The MCP server: streamable HTTP without state in the process. Each POST has one message of JSON-RPC. There is no stream
 * to open with GET, because the server sends nothing on its own.
 */
export function mcpRouter(
  schema: GraphQLSchema,
  routes: readonly Route[],
  { pipeline, compiler, version }: Pick<McpParts, 'pipeline' | 'compiler' | 'version'>,
): Router {
  const stop = routes.find(({ name }) => name === 'StopTurn');
  if (!stop) throw new Error('There is no document StopTurn.');
  let tools: McpParts['tools'] | undefined;
  const parts = {
    pipeline,
    compiler,
    version,
    stop,
    // At the first message, because a start does not need the schemas of the tools.
    get tools() {
      tools ??= toolsOf(schema, routes);
      return tools;
    },
  };
  const router = express.Router({ caseSensitive: true, strict: true });
  router
    .route('/mcp')
    .post((request, response) => respond(parts, request, response))
    .all(rejectMethod('POST, OPTIONS'));
  return router;
}

const SESSION = 'mcp-session-id';
/** The form of the session IDs that this server gives. */
const SESSION_ID = /^[0-9a-f-]{36}$/;

async function respond(parts: McpParts, request: Request, response: Response): Promise<void> {
  const opened = await open(parts, request, response);
  const { body } = request;
  // One request is one operation for the rate limits, so it cannot have several messages.
  if (Array.isArray(body)) throw new ServiceError('invalid_request', 'Send one message per request, not a batch.');
  requireShortNames(body);
  const session = sessionOf(request);
  const cancelled = CancelledNotificationSchema.safeParse(body);
  if (cancelled.success && cancelled.data.params.requestId !== undefined) {
    cancel(parts, { opened, session }, cancelled.data.params.requestId);
  }
  // The session tells apart clients with the same key. Nothing is stored for it.
  if (isInitializeRequest(body)) response.setHeader(SESSION, randomUUID());
  const server = createServer(parts, opened, session);
  const transport = new StreamableHTTPServerTransport();
  response.once('close', () => void server.close());
  // The types of the SDK are not written for exactOptionalPropertyTypes.
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  await transport.handleRequest(request, response, body);
}

/** Each notification repeats the progress token, so a long one would multiply. @throws {ServiceError} invalid_request */
function requireShortNames(body: unknown): void {
  const { id, params } = (body ?? {}) as Message;
  const names = [
    { param: ['id'], value: id },
    { param: ['params', 'name'], value: params?.name },
    { param: ['params', '_meta', 'progressToken'], value: params?._meta?.progressToken },
  ];
  for (const { param, value } of names) {
    if (typeof value !== 'string' || value.length <= LIMITS.mcpNameLength) continue;
    const message = `{param} must have at most ${LIMITS.mcpNameLength} characters.`;
    throw new ServiceError('invalid_request', message, { param });
  }
}

/** A message before it is validated. */
interface Message {
  readonly id?: unknown;
  readonly params?: {
    readonly name?: unknown;
    readonly arguments?: { readonly deployment_id?: unknown; readonly conversation_id?: unknown } | null;
    readonly _meta?: { readonly progressToken?: unknown } | null;
  } | null;
}

/**
 * Identifies the caller, then reads the message.
 * @throws {ServiceError} unauthorized: unlike a hosted page, an MCP client always has a key or a session
 */
async function open({ pipeline }: McpParts, request: Request, response: Response): Promise<OpenRequest> {
  const opened = await pipeline.open(toolExchange(request, response));
  // Several workspaces may accept the JWT. The message names one of them.
  if (!opened.identity.unbound) requireCaller(opened);
  await readBody(request, opened);
  const bound = await pipeline.bind(opened, addressOf(request.body));
  requireCaller(bound);
  return bound;
}

/** An operation runs after its stream has begun. Then it can set no headers, and its result has all that matters. */
function toolExchange(request: Request, response: Response): Exchange {
  const exchange = exchangeOf(request);
  const setHeader = exchange.setHeader.bind(exchange);
  return Object.assign(exchange, {
    setHeader: (name: string, value: string) => (response.headersSent ? undefined : setHeader(name, value)),
  });
}

/** What a call names. */
function addressOf(body: unknown) {
  const { arguments: args } = ((body ?? {}) as Message).params ?? {};
  return { deploymentId: uuidOf(args?.deployment_id), conversationId: uuidOf(args?.conversation_id) };
}

function sessionOf(request: Request): string | undefined {
  const session = request.get(SESSION);
  return session !== undefined && SESSION_ID.test(session) ? session : undefined;
}
