import { DECISION_TOOLS } from '../../contract/client-tools.ts';
import type { Approver } from '../../contract/statuses.ts';
import type { Caller } from '../caller.ts';

/** The content of a call, and the name of its tool. */
interface CallContent {
  readonly name: string | null;
  readonly arguments: unknown;
}

/** What a call that asks for a decision says about who can answer it. The service wrote it. */
interface Approvers {
  readonly approver?: Approver;
  /** Whether callers without credentials count as the client. */
  readonly anonymous?: boolean;
}

/**
 * Whether a caller may answer a call that asks for a decision: the side has to fit, and callers without credentials need an
 * explicit word.
 */
export function canDecide(caller: Caller, { arguments: args }: Pick<CallContent, 'arguments'>): boolean {
  const { approver = 'member', anonymous = false } = (args ?? {}) as Approvers;
  if (caller.kind === 'operator' || caller.kind === 'service') return true;
  if (!caller.scopes.has('conversations:write')) return false;
  const side = caller.kind === 'session' ? 'member' : 'client';
  if (approver !== 'either' && approver !== side) return false;
  return caller.kind !== 'anonymous' || anonymous;
}

/** Whether a caller sees the arguments and the output of a call. Of a decision, only callers who can make it do. */
function isVisible(caller: Caller, call: CallContent): boolean {
  return !DECISION_TOOLS.includes(call.name ?? '') || canDecide(caller, call);
}

/** The arguments that a caller sees. Empty for a decision that the caller cannot make. */
export function visibleArguments(caller: Caller, call: CallContent): Readonly<Record<string, unknown>> {
  return isVisible(caller, call) ? (call.arguments as Readonly<Record<string, unknown>>) : {};
}

/** The output that a caller sees. Of a decision that the caller cannot make, only whether it was approved. */
export function visibleOutput(
  caller: Caller,
  call: CallContent & { readonly output: unknown },
): Readonly<Record<string, unknown>> | null {
  const output = call.output as Readonly<Record<string, unknown>> | null;
  if (output === null || isVisible(caller, call)) return output;
  return 'approved' in output ? { approved: output.approved } : {};
}
