import {
  type CallToolResult,
  type InputRequiredResult,
  type Tool as ListedTool,
  type ListToolsResult,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { wireError } from '../../operation/errors.ts';
import type { OpenRequest } from '../../operation/operation-request.ts';
import { errorFields } from '../../rest/reply.ts';
import { approvalDecisions, approvalQuestions } from './approvals.ts';
import { callOwnTool, callTool } from './call.ts';
import { cancellationOf, stopTurn } from './cancellation.ts';
import { hasTasks, TASKS_EXTENSION } from './capabilities.ts';
import type { Message } from './message.ts';
import { atDeployment, withoutDeployment } from './own-deployment.ts';
import { DOCUMENTS_READ, type OwnTool } from './own-tool.ts';
import type { Incoming, McpParts } from './parts.ts';
import { progressReporter } from './progress.ts';
import { publishedPage, publishedTool } from './published-tools.ts';
import { becomesTask, serveTasks } from './serve-tasks.ts';
import { startTask, TASK_TOOL } from './tasks.ts';
import { isListed, type Tool } from './tool.ts';
import type { Arguments } from './tool-input.ts';
import { callTurnTool } from './turn.ts';
import type { TurnTool } from './turn-tools.ts';

const INSTRUCTIONS = [
  'Parley runs conversations with agents. list_deployments lists the deployments of agents. ask_deployment sends a message to a deployment and returns its reply; send its',
  'conversation_id to continue. If it has pending_actions, send their results with resume_conversation. search_conversations and read_conversation find and read conversations. Resources are the',
  'records that the agents work with. For everything else, search_schema and read_type describe the GraphQL API, and run_query reads with it. An error names the argument that is wrong.',
].join(' ');

const OF_END_USERS = [
  'Parley runs conversations with an agent. ask_deployment sends it a message and returns its reply; send its conversation_id to continue. If it has pending_actions, send their results with',
  'resume_conversation. The other tools find, read and change the conversations of the user. An error names the argument that is wrong.',
].join(' ');

/** Published documents and the scopes of a caller can change, so a client asks again after this time. */
const LIST_TTL_MS = 60_000;

/** What only a new release changes. */
const DISCOVERY_TTL_MS = 60 * 60_000;

/** An MCP server for one request. The pipeline and the database have all state, so any process can take any request. */
export function createServer(
  parts: McpParts,
  incoming: Omit<Incoming, 'message'>,
  { era }: Pick<McpRequestContext, 'era'>,
): Server {
  const { version } = parts;
  const { opened } = incoming;
  const hasExtensions = era === 'modern';
  const server = new Server(
    { name: 'parley', title: 'Parley', version },
    {
      capabilities: { tools: {}, ...(hasExtensions && { extensions: { [TASKS_EXTENSION]: {} } }) },
      instructions: incoming.deploymentId === undefined ? INSTRUCTIONS : OF_END_USERS,
      cacheHints: {
        'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
        'server/discover': { ttlMs: DISCOVERY_TTL_MS, cacheScope: 'public' },
      },
    },
  );
  server.setRequestHandler('tools/list', ({ params }) =>
    masked(parts, incoming, () => listTools(parts, incoming, params?.cursor)),
  );
  server.setRequestHandler('tools/call', ({ params: { name, arguments: args = {} } }, { mcpReq }) =>
    masked(parts, incoming, () => runTool(parts, incoming, { name, args, mcpReq })),
  );
  if (hasExtensions) serveTasks(server, parts, opened);
  return server;
}

async function listTools(
  parts: McpParts,
  { opened, deploymentId }: Omit<Incoming, 'message'>,
  cursor: string | undefined,
): Promise<ListToolsResult> {
  // Documents are for the callers of the workspace. Their names can say what its users need not know.
  if (deploymentId !== undefined) return { tools: listedTools(parts, opened).map(withoutDeployment).map(listed) };
  const { tools: published, nextCursor } = await publishedPage(parts, opened, cursor);
  const page = cursor === undefined ? [...listedTools(parts, opened), ...published] : published;
  return { tools: page.map(listed), ...(nextCursor !== undefined && { nextCursor }) };
}

function listedTools({ tools, ownTools, turnTools }: McpParts, opened: OpenRequest): (Tool | OwnTool)[] {
  const ofDocuments = [...turnTools.values(), ...tools.values()].filter(({ route }) => isListed(route, opened));
  return isListed(DOCUMENTS_READ, opened) ? [...ofDocuments, ...ownTools.values()] : ofDocuments;
}

interface ToolCall {
  readonly name: string;
  readonly args: Arguments;
  readonly mcpReq: ServerContext['mcpReq'];
}

async function runTool(
  parts: McpParts,
  incoming: Omit<Incoming, 'message'>,
  { name, args: sent, mcpReq }: ToolCall,
): Promise<CallToolResult | InputRequiredResult> {
  const { tools, ownTools, turnTools } = parts;
  const { opened, deploymentId } = incoming;
  const call = { pipeline: parts.pipeline, opened };
  const [own, turn, tool] = [ownTools.get(name), turnTools.get(name), tools.get(name)];
  const args = atDeployment(incoming, turn ?? tool, sent);
  if (own) return callOwnTool(own, args, call);
  // The types of the package do not have the results of extensions.
  if (turn && becomesTask(turn, opened, mcpReq)) return startTask(turn, args, call) as Promise<CallToolResult>;
  if (turn) return runTurnWithApprovals(parts, incoming, turn, { name, args, mcpReq });
  if (tool) return callTool(tool, args, call);
  const published = deploymentId === undefined ? await publishedTool(parts, opened, name) : undefined;
  if (!published) throw unknownTool(name);
  return callTool(published.tool, args, { ...call, documentId: published.documentId });
}

/** Runs a turn. Clients of 2026 can ask their person for approvals: they call the tool again with the decisions. */
async function runTurnWithApprovals(
  parts: McpParts,
  incoming: Omit<Incoming, 'message'>,
  tool: TurnTool,
  call: ToolCall,
): Promise<CallToolResult | InputRequiredResult> {
  const decisions = approvalDecisions(call.mcpReq);
  if (decisions && 'waiting' in decisions) return decisions.waiting;
  const resume = decisions && parts.turnTools.get('resume_conversation');
  const args = decisions?.resume ?? call.args;
  const result = await runTurn(parts, incoming, resume ?? tool, { ...call, args });
  return approvalQuestions(result, args.deployment_id, call.mcpReq) ?? result;
}

async function runTurn(
  parts: McpParts,
  { opened, session, acceptsStream }: Omit<Incoming, 'message'>,
  tool: TurnTool,
  { args, mcpReq }: ToolCall,
): Promise<CallToolResult> {
  const { cancelled, release } = cancellationOf(parts, { opened, session }, mcpReq.id);
  const token = acceptsStream ? mcpReq._meta?.progressToken : undefined;
  const progress = progressReporter(token, mcpReq.notify);
  // Since 2026-07-28, a client cancels a request by closing its stream. A process that shuts down ends its calls before.
  const isCancelledByLeaving = mcpReq.envelope !== undefined;
  try {
    return await callTurnTool(tool, args, {
      ...{ pipeline: parts.pipeline, opened, wantsProgress: token !== undefined, progress: progress.report },
      cancelled: isCancelledByLeaving ? AbortSignal.any([cancelled, mcpReq.signal]) : cancelled,
      stop: (turn) => stopTurn(parts, opened, turn),
    });
  } finally {
    release();
    await progress.end();
  }
}

const unknownTool = (name: string) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}. List the tools.`);

/** Runs a handler. Without it, the package would send the message of any error to the client. */
async function masked<R>(
  { pipeline }: McpParts,
  { opened }: Pick<Incoming, 'opened'>,
  run: () => Promise<R>,
): Promise<R> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const { requestId } = opened.exchange;
    const wire = wireError(error, { log: pipeline.services.process.log, requestId });
    const data = { ...errorFields(wire), request_id: requestId };
    throw new ProtocolError(ProtocolErrorCode.InternalError, wire.message, data);
  }
}

/** Whether a message calls a tool whose result takes the time of a turn. A task has its result later. */
export function isStreamedCall({ turnTools }: McpParts, message: unknown): boolean {
  const { method, params } = (message ?? {}) as Message;
  const isTurn = method === 'tools/call' && typeof params?.name === 'string' && turnTools.has(params.name);
  return isTurn && !(params?.name === TASK_TOOL && hasTasks(params._meta));
}

function listed({ name, title, description, inputSchema, outputSchema, annotations }: Tool | OwnTool): ListedTool {
  const { isReadOnly, isDestructive, isIdempotent, isOpenWorld } = annotations;
  return {
    name,
    title,
    description,
    // The types of the package have mutable arrays.
    inputSchema: inputSchema as unknown as ListedTool['inputSchema'],
    outputSchema: outputSchema as unknown as NonNullable<ListedTool['outputSchema']>,
    annotations: {
      readOnlyHint: isReadOnly,
      destructiveHint: isDestructive,
      idempotentHint: isIdempotent,
      openWorldHint: isOpenWorld,
    },
  };
}
