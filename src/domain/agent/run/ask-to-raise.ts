import { BudgetReachedError, RaiseRefusedError } from '../../budgets/budget-reached.ts';
import type { Context } from '../../context.ts';
import { type CallEntry, isCall, type TimelineEntry } from '../../conversations/timeline.ts';
import type { RunningTurn } from '../rows/running-turn.ts';
import { newCallId } from '../tools/calls.ts';
import { isRaise, isRefused, raiseCall } from '../tools/raise-budget.ts';
import { moveRun, type Stage } from './move-run.ts';

/**
 * Pauses a turn whose next model step does not fit into a budget, if a member can raise it. The question is a step of its
 * own, so that the answers to two questions of a run are never mixed up.
 * @throws the error, if the turn cannot wait
 */
export async function askToRaise(ctx: Context, turn: RunningTurn, stage: Stage, error: unknown): Promise<CallEntry[]> {
  const budget = turn.canPause && error instanceof BudgetReachedError ? error.raisable : undefined;
  if (!budget) throw error;
  const call = raiseCall(newCallId(ctx), budget);
  const own = { ...stage, step: stage.step + 1 };
  const stored = await moveRun(ctx, turn, { stage: own, items: [call], results: [], pending: [call], messages: 0 });
  return [{ ...call, ...stored(0) } as CallEntry];
}

/** @throws {RaiseRefusedError} if the run ended its wait without a raise */
export function requireRaise(entries: readonly TimelineEntry[], { runId }: Pick<RunningTurn, 'runId'>): void {
  const last = entries.filter((entry) => entry.runId === runId).at(-1);
  if (last && isCall(last) && isRaise(last) && last.status === 'completed' && isRefused(last))
    throw new RaiseRefusedError();
}
