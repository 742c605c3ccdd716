import { randomUUID } from 'node:crypto';
import { isInitializeRequest, isSpecType, type ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import { readBody } from '../../http/body/body.ts';
import { exchangeOf } from '../../http/exchange.ts';
import { rejectMethod } from '../../http/unrouted.ts';
import { openPlace, requireAt } from '../../operation/apps/place.ts';
import type { StepUp } from '../../operation/apps/step-up.ts';
import { type WireError, wireError } from '../../operation/errors.ts';
import type { Exchange } from '../../operation/exchange.ts';
import { insufficientScope } from '../../operation/mask.ts';
import type { Pipeline } from '../../operation/pipeline.ts';
import { requireCaller } from '../../operation/published-documents.ts';
import { errorBody, errorFields } from '../../rest/reply.ts';
import type { Route } from '../../rest/route.ts';
import { cancel } from './cancellation.ts';
import { addressOf, messageOf, repeatableId } from './message.ts';
import type { Incoming, McpParts } from './parts.ts';
import { type SchemaAccess, schemaTools } from './schema-tools.ts';
import { acceptsStream, type Serving, serve } from './serve.ts';
import { subscriptionProblem } from './serve-tasks.ts';
import { createServer, isStreamedCall } from './server.ts';
import { stepUpOf } from './step-up.ts';
import { toolsOf } from './tool.ts';
import { type TurnRoutes, turnTools } from './turn-tools.ts';

type Served = Omit<Serving, 'message'> | StepUp;

/** How a message is served, or which scopes an app needs for it. */
export type Respond = (incoming: Incoming) => Served | Promise<Served>;

/**
 * The MCP server: streamable HTTP without state in the process, for both eras of the protocol. Each POST has one message of
 * JSON-RPC. There is no stream to open with GET, because the server sends nothing on its own.
 */
export function mcpRouter(
  schema: GraphQLSchema,
  routes: readonly Route[],
  { pipeline, version, ...access }: Pick<McpParts, 'pipeline' | 'version'> & SchemaAccess,
): Router {
  const turn = turnRoutes(routes);
  let tools: McpParts['tools'] | undefined;
  let ofTurns: McpParts['turnTools'] | undefined;
  const parts = {
    pipeline,
    compiler: access.compiler,
    ownTools: new Map(schemaTools(access).map((tool) => [tool.name, tool])),
    version,
    stop: turn.stop,
    // At the first message, because a start does not need the schemas of the tools.
    get tools() {
      tools ??= toolsOf(schema, routes);
      return tools;
    },
    get turnTools() {
      ofTurns ??= turnTools(schema, turn);
      return ofTurns;
    },
  };
  return messageRouter(pipeline, async (incoming) => {
    const { opened, session, message } = incoming;
    const stepUp = await stepUpOf(parts, incoming);
    if (stepUp) return stepUp;
    if (isSpecType.CancelledNotification(message) && message.params.requestId !== undefined) {
      cancel(parts, { opened, session }, message.params.requestId);
    }
    return { isStreamed: isStreamedCall(parts, message), server: (context) => createServer(parts, incoming, context) };
  });
}

/** The documents of REST that the tools for turns use. */
export function turnRoutes(routes: readonly Route[]): TurnRoutes {
  const named = (wanted: string) => {
    const route = routes.find(({ name }) => name === wanted);
    if (!route) throw new Error(`There is no document ${wanted}.`);
    return route;
  };
  return { run: named('RunAgentTurn'), follow: named('FollowTurns'), stop: named('StopTurn') };
}

/**
 * Takes messages of identified callers: at `/mcp` those of members and keys, and at the address of a deployment those of its
 * end users.
 */
export function messageRouter(pipeline: Pipeline, respond: Respond): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const post: RequestHandler = (request, response) => handle(pipeline, respond, request, response);
  for (const path of ['/mcp', '/mcp{/test}/deployments/:deployment_id']) {
    router.route(path).post(post).all(rejectMethod('POST, OPTIONS'));
  }
  return router;
}

const SESSION = 'mcp-session-id';
/** The form of the session IDs that this server gives. */
const SESSION_ID = /^[0-9a-f-]{36}$/;

async function handle(pipeline: Pipeline, respond: Respond, request: Request, response: Response): Promise<void> {
  const place = await openPlace(pipeline, toolExchange(request, response), request.path);
  const { opened } = place;
  // Several workspaces may accept the JWT. The message names one of them. Unlike a hosted page, an MCP client always has a key or a session.
  if (!opened.identity.unbound) requireCaller(opened);
  let message: unknown;
  try {
    await readBody(request, opened);
    message = messageOf(request.body);
  } catch (error) {
    return rejectMessage(pipeline, request, response, error);
  }
  const bound = await pipeline.bind(
    opened,
    place.offered ? { deploymentId: place.offered.deployment.id } : addressOf(message),
  );
  requireAt(place, requireCaller(bound));
  const problem = subscriptionProblem(message);
  if (problem) return sendProblem(request, response, problem);
  // The session tells apart clients with the same key. Nothing is stored for it.
  if (isInitializeRequest(message)) response.setHeader(SESSION, randomUUID());
  const deploymentId = place.offered?.deployment.id;
  const own = { session: sessionOf(request), acceptsStream: acceptsStream(request) };
  const incoming = { opened: bound, message, deploymentId, ...own };
  const serving = await respond(incoming);
  if ('error' in serving) return sendStepUp(pipeline, response, serving);
  await serve(request, response, { ...serving, message });
}

/** An app reads in the header which scopes it has to ask its person for. `explainBearer` adds where. */
function sendStepUp({ services }: Pipeline, response: Response, { error, scopes }: StepUp): void {
  const requestId = String(response.req.id);
  const wire = wireError(error, { log: services.process.log, requestId });
  response.status(wire.status).set('WWW-Authenticate', insufficientScope(scopes.join(' ')));
  response.json(errorBody(wire, requestId));
}

/** An invalid message gets an error of the protocol. Other errors are those of HTTP, as for every path. */
function rejectMessage(pipeline: Pipeline, request: Request, response: Response, error: unknown): void {
  const requestId = String(request.id);
  const wire = wireError(error, { log: pipeline.services.process.log, requestId });
  if (wire.status !== 400) throw error;
  const data = { ...errorFields(wire), request_id: requestId };
  sendProblem(request, response, { code: codeOf(wire), message: wire.message, data });
}

function sendProblem(
  request: Request,
  response: Response,
  { code, message, data }: Pick<ProtocolError, 'code' | 'message' | 'data'>,
): void {
  response.status(400).json({ jsonrpc: '2.0', id: repeatableId(request.body), error: { code, message, data } });
}

function codeOf({ code, param }: WireError): ProtocolErrorCode {
  if (code === 'invalid_json') return ProtocolErrorCode.ParseError;
  return param?.startsWith('params') ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InvalidRequest;
}

/** An operation runs after its stream has begun. Then it can set no headers, and its result has all that matters. */
function toolExchange(request: Request, response: Response): Exchange {
  const exchange = exchangeOf(request);
  const setHeader = exchange.setHeader.bind(exchange);
  return Object.assign(exchange, {
    setHeader: (name: string, value: string) => (response.headersSent ? undefined : setHeader(name, value)),
  });
}

function sessionOf(request: Request): string | undefined {
  const session = request.get(SESSION);
  return session !== undefined && SESSION_ID.test(session) ? session : undefined;
}
