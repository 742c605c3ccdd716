import {
  type CallToolResult,
  type InputRequest,
  type InputRequiredResult,
  type InputResponseView,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { APPROVAL_TOOL } from '../../contract/client-tools.ts';
import { success } from './call.ts';
import { canAsk } from './capabilities.ts';
import type { Arguments } from './tool-input.ts';

type McpRequest = ServerContext['mcpReq'];

interface PendingAction {
  readonly call_id: string;
  readonly name: string;
  readonly arguments?: { readonly tool?: unknown; readonly arguments?: unknown; readonly approver?: unknown };
}

/**
 * The approvals of a turn that waits, as questions to the person at the client. Undefined if the turn waits for something
 * else, or if the client cannot ask all of them.
 */
export function approvalQuestions(
  { structuredContent }: CallToolResult,
  deploymentId: unknown,
  { envelope }: McpRequest,
): InputRequiredResult | undefined {
  const { conversation_id: conversationId, pending_actions: pending } = (structuredContent ?? {}) as {
    readonly conversation_id?: string;
    readonly pending_actions?: readonly PendingAction[];
  };
  if (!pending?.length || !pending.every(isForClient) || !canAsk(envelope)) return undefined;
  const inputRequests: Record<string, InputRequest> = {};
  for (const action of pending) {
    const form = approvalForm(action);
    if (!form) return undefined;
    inputRequests[action.call_id] = form;
  }
  return inputRequired({ inputRequests, requestState: JSON.stringify([deploymentId, conversationId]) });
}

/** A caller who cannot answer an approval does not see its arguments. */
const isForClient = ({ name, arguments: request }: PendingAction): boolean =>
  name === APPROVAL_TOOL && (request?.approver === 'client' || request?.approver === 'either');

/** Characters of a question that a person reads. */
const QUESTION_LENGTH = 2_000;

/** A question about arguments. Undefined: it is too long, and a person must not decide about more than they see. */
export function questionAbout(beginning: string, args: unknown): string | undefined {
  // Some characters hide others, or change their order.
  const shown = JSON.stringify(args ?? {}).replaceAll(
    /\p{Cf}/gu,
    (hidden) => `\\u{${hidden.codePointAt(0)?.toString(16)}}`,
  );
  const question = `${beginning} ${shown}`;
  return question.length > QUESTION_LENGTH ? undefined : question;
}

/** The form for an approval. Undefined if its arguments are too long for one. */
export function approvalForm({ arguments: request }: Pick<PendingAction, 'arguments'>): InputRequest | undefined {
  const message = questionAbout(`Allow ${request?.tool}?`, request?.arguments);
  if (message === undefined) return undefined;
  return inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: {
        approved: { type: 'boolean', title: 'Approve' },
        reason: { type: 'string', title: 'Reason', maxLength: 1_000 },
      },
      required: ['approved'],
    },
  });
}

/** More than the IDs of a deployment and a conversation. */
const STATE_LENGTH = 200;

/** The decisions of a person: the arguments of a resume, or the result if one is missing. */
type Decisions = { readonly resume: Arguments } | { readonly waiting: CallToolResult };

/**
 * The decisions that a call has. Undefined if it begins a turn. The pipeline authorizes the resume, so the state needs no
 * signature.
 * @throws {ProtocolError} InvalidParams
 */
export function approvalDecisions(request: McpRequest): Decisions | undefined {
  const state = request.requestState<unknown>();
  if (state === undefined) return undefined;
  const [deployment_id, conversation_id] = idsOf(state);
  const calls = Object.keys(request.inputResponses ?? {});
  const results = calls.map((call_id) => ({ call_id, output: decisionOf(request, call_id) }));
  // A person who closes the question has decided nothing.
  if (results.some(({ output }) => output === undefined)) {
    const pending = calls.map((call_id) => ({ call_id, name: APPROVAL_TOOL }));
    const body = { conversation_id, run_status: 'waiting_for_client_action', content: null, pending_actions: pending };
    return { waiting: success(body) };
  }
  return { resume: { deployment_id, conversation_id, tool_results: results } };
}

function decisionOf({ inputResponses }: McpRequest, callId: string): object | undefined {
  return approvalOutput(inputResponse(inputResponses, callId));
}

/** The result of an approval. Undefined: the person has closed the question. */
export function approvalOutput(response: InputResponseView): object | undefined {
  if (response.kind !== 'elicit' || response.action === 'cancel') return undefined;
  const { approved, reason } = response.content ?? {};
  const isApproved = response.action === 'accept' && approved === true;
  return { approved: isApproved, ...(typeof reason === 'string' && { reason }) };
}

function idsOf(state: unknown): readonly [string, string] {
  const ids = typeof state === 'string' && state.length <= STATE_LENGTH ? parsed(state) : undefined;
  if (Array.isArray(ids) && ids.length === 2 && ids.every((id) => typeof id === 'string'))
    return ids as [string, string];
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'requestState is not valid. Call the tool again without it.',
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
