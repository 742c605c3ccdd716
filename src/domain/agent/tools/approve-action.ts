import { z } from 'zod';
import { APPROVAL_TOOL } from '../../../contract/client-tools.ts';
import type { Approver } from '../../../contract/statuses.ts';
import type { CallEntry } from '../../conversations/timeline.ts';
import { isObject, type Schema } from '../../json-schema/schema.ts';
import { valueProblem } from '../../json-schema/value-problem.ts';
import { reasonRule } from './decision.ts';
import { invalidResult, type OutputCheck, parseOutput } from './output-problem.ts';

/** The arguments of approve_action. Its schema is in `CLIENT_TOOLS`. */
interface ApprovalRequest {
  /** The call that waits. */
  readonly call_id: string;
  readonly tool: string;
  readonly description: string;
  readonly arguments: Schema;
  readonly input_schema: Schema;
  readonly approver: Approver;
  /** Whether callers without credentials can answer it. */
  readonly anonymous?: true;
}

/** The answer to an approval. */
export interface Decision {
  readonly approved: boolean;
  /** The arguments to run the tool with, if they differ from those of the model. */
  readonly arguments?: Schema | undefined;
  readonly reason?: string | undefined;
}

const decision = z.object({
  approved: z.boolean('must be true or false'),
  arguments: z.custom<Schema>(isObject, 'must be an object').optional(),
  reason: reasonRule,
});

// The service wrote the arguments of the call.
const requestOf = ({ arguments: args }: Pick<CallEntry, 'arguments'>) => args as unknown as ApprovalRequest;

/** Whether a call asks for an approval. */
export function isApproval({ kind, name }: { readonly kind: string; readonly name?: string }): boolean {
  return kind === 'client_tool' && name === APPROVAL_TOOL;
}

/** The arguments of approve_action for a call that waits. */
export function approvalRequest(request: ApprovalRequest): Readonly<Record<string, unknown>> {
  return { ...request };
}

/** The error of a refused call, for the model. */
export const REFUSED = 'This call was refused, so it was not run. Do not repeat it unless the user asks for it.';

/** The tool whose call an approval decides on. */
export function approvedTool(call: Pick<CallEntry, 'arguments'>): string {
  return requestOf(call).tool;
}

/** The ID of the call that an approval decides on. */
export function approvedCallId(call: Pick<CallEntry, 'arguments'>): string {
  return requestOf(call).call_id;
}

/** The stored decision of an answered approval. */
export function decisionOf({ output }: Pick<CallEntry, 'output'>): Decision {
  return decision.parse(output);
}

/** Changed arguments must match the schema of the tool. @throws {ServiceError} invalid_tool_result */
export const checkDecision: OutputCheck = (args, output, param) => {
  const { approved, arguments: changed } = parseOutput(decision, output, param);
  if (!changed) return;
  const at = [...param, 'arguments'];
  if (!approved) throw invalidResult('{param} is only allowed with approved: true. Leave it out.', at);
  const problem = valueProblem(requestOf({ arguments: args }).input_schema, changed);
  if (problem) throw invalidResult(`{param} is not valid: ${problem}.`, at);
};
