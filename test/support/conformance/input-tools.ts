import { randomBytes } from 'node:crypto';
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';

type TextOrChoice = { readonly type: 'string' } | { readonly type: 'boolean' };
type Result = CallToolResult | InputRequiredResult;

export const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });

/** Signs the state of a call between its rounds. The key is of this process, as the suite has only one. */
export const stateCodec = createRequestStateCodec({ key: randomBytes(32) });

/** A form with one field. */
export const elicit = (message: string, field: string, schema: TextOrChoice = { type: 'string' }): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: schema }, required: [field] },
  });

const sample = (words: string): InputRequest =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: words } }],
    maxTokens: 100,
  });

const NAME = elicit('What is your name?', 'name');
const COLOR = elicit('What is your favorite color?', 'color');
const CONFIRM = elicit('Please confirm', 'ok', { type: 'boolean' });

type Responses = ServerContext['mcpReq']['inputResponses'];

const accepted = (responses: Responses, key: string, field: string) =>
  (acceptedContent(responses, key) as Record<string, unknown> | undefined)?.[field];

/** A tool that asks for one input. */
function askOnce(key: string, request: InputRequest, reply: (responses: Responses) => string) {
  return ({ mcpReq: { inputResponses } }: ServerContext): Result =>
    inputResponse(inputResponses, key).kind === 'missing'
      ? inputRequired({ inputRequests: { [key]: request } })
      : text(reply(inputResponses));
}

async function confirmed({ mcpReq }: ServerContext): Promise<Result> {
  const isConfirmed = mcpReq.requestState() !== undefined && accepted(mcpReq.inputResponses, 'confirm', 'ok') === true;
  if (isConfirmed) return text('state-ok: the state is verified');
  const requestState = await stateCodec.mint({ kind: 'confirm' });
  return inputRequired({ inputRequests: { confirm: CONFIRM }, requestState });
}

async function severalInputs({ mcpReq: { inputResponses } }: ServerContext): Promise<Result> {
  const name = accepted(inputResponses, 'user_name', 'name');
  if (name !== undefined && inputResponses?.greeting && inputResponses.client_roots) return text(`Hello, ${name}!`);
  return inputRequired({
    inputRequests: {
      user_name: NAME,
      greeting: sample('Generate a greeting'),
      client_roots: inputRequired.listRoots(),
    },
    requestState: await stateCodec.mint({ kind: 'several' }),
  });
}

async function severalRounds({ mcpReq }: ServerContext): Promise<Result> {
  const state = mcpReq.requestState<{ name?: unknown }>();
  const name = state?.name ?? accepted(mcpReq.inputResponses, 'step1', 'name');
  const color = accepted(mcpReq.inputResponses, 'step2', 'color');
  if (state?.name !== undefined && color !== undefined) return text(`${state.name} likes ${color}`);
  const isFirst = state === undefined || name === undefined;
  return inputRequired({
    inputRequests: isFirst ? { step1: NAME } : { step2: COLOR },
    requestState: await stateCodec.mint(isFirst ? {} : { name }),
  });
}

async function byCapability({ mcpReq: { envelope, inputResponses } }: ServerContext): Promise<Result> {
  const capabilities = ((envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ??
    {}) as Record<string, unknown>;
  if (inputResponses) return text(`capabilities-ok: ${Object.keys(inputResponses).join()}`);
  const inputRequests = {
    ...(capabilities.elicitation !== undefined && { elicit_input: elicit('A value', 'value') }),
    ...(capabilities.sampling !== undefined && { sample_input: sample('Sample request') }),
  };
  if (Object.keys(inputRequests).length === 0) return text('No capability is declared.');
  return inputRequired({ inputRequests, requestState: await stateCodec.mint({ kind: 'capabilities' }) });
}

const TOOLS: Readonly<Record<string, (context: ServerContext) => Result | Promise<Result>>> = {
  elicitation: askOnce('user_name', NAME, (responses) => `Hello, ${accepted(responses, 'user_name', 'name')}!`),
  sampling: askOnce('sample_request', sample('What is the capital of France?'), (responses) =>
    JSON.stringify(responses?.sample_request),
  ),
  list_roots: askOnce('roots_request', inputRequired.listRoots(), (responses) =>
    JSON.stringify(responses?.roots_request),
  ),
  request_state: confirmed,
  tampered_state: confirmed,
  multiple_inputs: severalInputs,
  multi_round: severalRounds,
  capabilities: byCapability,
};

/** The tools of the suite that ask the client before they return a result. */
export function registerInputTools(server: McpServer): void {
  for (const [name, call] of Object.entries(TOOLS)) {
    server.registerTool(`test_input_required_result_${name}`, { description: 'Asks the client.' }, call);
  }
  server.registerTool(
    'test_missing_capability',
    { description: 'Needs sampling.' },
    TOOLS.sampling as typeof confirmed,
  );
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks the client.' }, ({ mcpReq }) => {
    const context = accepted(mcpReq.inputResponses, 'user_context', 'context');
    if (context === undefined) return inputRequired({ inputRequests: { user_context: elicit('Context?', 'context') } });
    return { messages: [{ role: 'user', content: { type: 'text', text: String(context) } }] };
  });
}
