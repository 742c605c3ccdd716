import { z } from 'zod';
import { RAISE_BUDGET_TOOL } from '../../../contract/client-tools.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { Approver, BudgetPeriod, BudgetPlace, BudgetUnit } from '../../../contract/statuses.ts';
import { placeKindOf, raiseAnswer } from '../../budgets/budget-input.ts';
import type { BudgetRaise } from '../../budgets/raise.ts';
import type { JudgedBudget } from '../../budgets/reserve.ts';
import type { CallEntry } from '../../conversations/timeline.ts';
import { reasonRule } from './decision.ts';
import { invalidResult, type OutputCheck, parseOutput, type ToolOutput } from './output-problem.ts';

/** The arguments of raise_budget. Its schema is in `CLIENT_TOOLS`. */
export interface RaiseRequest {
  readonly budget_id: string;
  readonly place: BudgetPlace;
  readonly period: BudgetPeriod;
  readonly unit: BudgetUnit;
  readonly limit: string;
  readonly spent: string;
  readonly needed: string;
  readonly period_ends_at: string | null;
  readonly approver: Approver;
}

// A misspelled amount would be an answer without one.
const answer = z.strictObject(
  { ...raiseAnswer.shape, reason: reasonRule },
  {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? 'can have only approved, amount, tokens and reason' : undefined,
  },
);

const requestOf = (args: ToolOutput) => args as unknown as RaiseRequest;

/** Whether a call asks to raise a budget. */
export function isRaise({ kind, name }: { readonly kind: string; readonly name?: string | null }): boolean {
  return kind === 'client_tool' && name === RAISE_BUDGET_TOOL;
}

/** The call that asks to raise a budget, because the next step does not fit into it. */
export function raiseCall(callId: string, budget: JudgedBudget) {
  const { id, period, unit, limit, spent, needed, endsAt, expiresAfterSeconds, onExpiry } = budget;
  const request: RaiseRequest = {
    budget_id: id,
    place: placeKindOf(budget),
    ...{ period, unit, limit, spent, needed },
    period_ends_at: endsAt?.toISOString() ?? null,
    approver: 'member',
  };
  return {
    kind: 'client_tool',
    callId,
    name: RAISE_BUDGET_TOOL,
    arguments: { ...request },
    status: 'pending',
    output: null,
    expiresAfterSeconds: expiresAfterSeconds ?? LIMITS.raiseDays * 86_400,
    onExpiry: onExpiry ?? { mode: 'deny' },
  } as const;
}

/** The answer must have the unit of the budget. @throws {ServiceError} invalid_tool_result */
export const checkRaise: OutputCheck = (args, output, param) => {
  const { approved, amount, tokens } = parseOutput(answer, output, param);
  const [sent] = Object.entries({ amount, tokens }).filter(([, value]) => value != null);
  if (!sent) return;
  const [name] = sent;
  if (!approved) throw invalidResult('{param} is only allowed with approved: true. Leave it out.', [...param, name]);
  for (const [field, value] of Object.entries({ amount, tokens })) {
    if (value == null || field === fieldOf(args)) continue;
    throw invalidResult(`{param} does not fit the budget. Send ${fieldOf(args)} instead.`, [...param, field]);
  }
};

const fieldOf = (args: ToolOutput) => (requestOf(args).unit === 'money' ? 'amount' : 'tokens');

/** What an answer adds to its budget. Undefined: nothing. The answer was checked. */
export function raiseIn({ arguments: args, output }: Pick<CallEntry, 'arguments' | 'output'>): BudgetRaise | undefined {
  const { approved, amount, tokens } = answer.parse(output);
  const value = amount ?? tokens;
  if (!approved || value == null) return undefined;
  const { budget_id: budgetId, unit, period_ends_at: periodEndsAt } = requestOf(args);
  return { budgetId, unit, value: String(value), periodEndsAt };
}

/** What the results of some calls add to budgets. */
export function raisesIn(
  calls: readonly Pick<CallEntry, 'callId' | 'name' | 'arguments'>[],
  results: readonly Pick<CallEntry, 'callId' | 'output'>[],
): BudgetRaise[] {
  return calls
    .filter(({ name }) => name === RAISE_BUDGET_TOOL)
    .flatMap((call) => {
      const result = results.find(({ callId }) => callId === call.callId);
      return (result && raiseIn({ ...call, output: result.output })) ?? [];
    });
}

/** Whether the last answer in a run refused to raise the budget. */
export function isRefused({ output }: Pick<CallEntry, 'output'>): boolean {
  return !answer.parse(output).approved;
}
