import { ServiceError } from '../../contract/errors.ts';
import type { JudgedBudget } from './reserve.ts';

/** A model step that was not started, because it could cost more than a budget has left. Amounts are not in it: visitors read it. */
export class BudgetReachedError extends ServiceError {
  /** The places whose running steps stop. */
  readonly stoppedPlaces: readonly string[];
  /** The budget that a turn waits for, if it can wait. Undefined: another one refuses the step. */
  readonly raisable: JudgedBudget | undefined;

  /** @param budgets those that cover the step */
  constructor(budgets: readonly JudgedBudget[]) {
    const reached = budgets.filter(({ isReached }) => isReached);
    const ends = reached.map(({ endsAt }) => endsAt);
    const endsAt = ends.includes(null) ? undefined : ends.sort((one, other) => Number(one) - Number(other)).at(-1);
    super('budget_reached', endsAt ? PAUSES_UNTIL : PAUSES, {
      facts: { period_ends_at: endsAt?.toISOString() ?? null },
    });
    this.name = 'BudgetReachedError';
    const blocking = reached.length > 0 ? reached : budgets.filter(({ isFull }) => isFull);
    const isRaisable = blocking.every(({ onReached, isUnpriced }) => onReached === 'pause' && !isUnpriced);
    this.raisable = isRaisable ? blocking[0] : undefined;
    this.stoppedPlaces = reached
      .filter(({ onReached, isUsedUp, isUnpriced }) => onReached === 'stop' && isUsedUp && !isUnpriced)
      .map(({ place }) => place);
  }

  /** The error of a turn whose message is stored. */
  of(turn: Readonly<Record<string, unknown>>): ServiceError {
    const facts = { ...this.details.facts, ...turn };
    return new ServiceError(this.code, `${this.message} Your message is stored.`, { facts });
  }
}

const PAUSES = 'The assistant is pausing, because a budget is reached.';

const PAUSES_UNTIL = `${PAUSES} Try again when the period of the budget has ended.`;

/** The end of a turn whose budget nobody has raised. */
export class RaiseRefusedError extends ServiceError {
  constructor() {
    super('budget_reached', 'The budget was not raised, so the turn has ended. Send a new message later.', {
      facts: { period_ends_at: null },
    });
    this.name = 'RaiseRefusedError';
  }
}
