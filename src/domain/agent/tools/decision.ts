import { z } from 'zod';
import { DECISION_TOOLS } from '../../../contract/client-tools.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { Approver } from '../../../contract/statuses.ts';
import type { CallEntry } from '../../conversations/timeline.ts';

/** Whether the service asks for a decision with a call. The model did not call it, and does not see it. */
export function asksForDecision({ kind, name }: { readonly kind: string; readonly name?: string | null }): boolean {
  return kind === 'client_tool' && DECISION_TOOLS.includes(name ?? '');
}

/** Who can decide. */
export function approverOf({ arguments: args }: Pick<CallEntry, 'arguments'>): Approver {
  // The service wrote the arguments of the call.
  return (args as unknown as { readonly approver: Approver }).approver;
}

/** The reason of a decision. */
export const reasonRule = z
  .string('must be a text')
  .max(LIMITS.approvalReasonLength, `must have at most ${LIMITS.approvalReasonLength} characters`)
  .optional();
