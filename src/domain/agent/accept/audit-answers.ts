import { APPROVAL_TOOL, RAISE_BUDGET_TOOL } from '../../../contract/client-tools.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { insertAuditEntries } from '../../audit/append.ts';
import type { Context } from '../../context.ts';
import { approvedTool } from '../tools/approve-action.ts';
import { raiseIn } from '../tools/raise-budget.ts';
import type { AcceptedResult } from './judge-resume.ts';
import type { ResumeState, RoundCall } from './resume-state.ts';

interface Answers extends Pick<ResumeState, 'calls'> {
  readonly conversation: { readonly id: string };
  readonly results: readonly AcceptedResult[];
  readonly at: Date;
}

/** The user ID of the member who answers. Null for any other caller. */
export function memberOf({ caller }: Pick<Context, 'caller'>): string | null {
  return caller.kind === 'session' ? caller.user.id : null;
}

/**
 * The CTE that records a member's answers in the audit log, one entry for each call. It needs `moved`, so rejected
 * answers are not recorded. Arguments and outputs can contain personal data, so the entries do not have them, except what a
 * budget was raised by.
 */
export function auditAnswers(ctx: Context, { conversation, calls, results, at }: Answers): Prisma.Sql {
  if (memberOf(ctx) === null) return Prisma.empty;
  const details = results.flatMap(({ callId, output }) => {
    const call = calls.find((one) => one.callId === callId);
    return call ? [detailsOf(call, output)] : [];
  });
  const entry = { action: 'action.answered', subjectId: conversation.id, at } as const;
  return Prisma.sql`, audited AS (${insertAuditEntries(ctx, entry, details, 'moved')})`;
}

function detailsOf(call: RoundCall, output: AcceptedResult['output']): object {
  const { callId, name } = call;
  if (name === RAISE_BUDGET_TOOL) return { call_id: callId, tool: name, ...auditedRaise(call, output) };
  if (name !== APPROVAL_TOOL) return { call_id: callId, tool: name };
  return { call_id: callId, tool: approvedTool(call), approved: output.approved };
}

function auditedRaise(call: RoundCall, output: AcceptedResult['output']): object {
  const { budgetId, value } = raiseIn({ ...call, output }) ?? {};
  return { approved: output.approved, ...(budgetId !== undefined && { budget_id: budgetId, raised_by: value }) };
}
