import { setTimeout as pause } from 'node:timers/promises';
import { onlyUsage, type Usage } from '../../contract/token-usage.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { leaseEnd } from '../leases/lease-sql.ts';
import type { SpentTokens, StepCeiling } from './budget-cost.ts';
import { BudgetReachedError } from './budget-reached.ts';
import { makeDefaults } from './default-budgets.ts';
import { releaseAbandoned } from './release.ts';
import { type Reserver, reserve } from './reserve.ts';
import { settleBudgets } from './settle.ts';
import type { SpendingPlace } from './spending-place.ts';

/** A prompt of which the next one keeps nothing. */
export const NOTHING_KNOWN: CountedPrompt = { counted: 0, most: 0 };

/** How long a step waits for the reservations of other steps. */
const WAIT_MS = 30_000;

const POLL_MS = 100;

/** A step with its retries, and the statement that stores it, take less. */
const STEP_SLACK_MS = 60_000;

/** The work whose steps spend: a turn, a one-shot run, or a test. */
interface Work {
  readonly workId: string;
  /** Undefined: it has no run. */
  readonly fence?: number;
  readonly place: SpendingPlace;
  /** The last prompt of its conversation. Undefined: unknown. */
  readonly last?: CountedPrompt | undefined;
}

/** A prompt whose tokens a provider has counted. */
export interface CountedPrompt {
  readonly counted: number;
  /** The most tokens that it could have. */
  readonly most: number;
}

interface StepTime {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/**
 * What the steps of some work reserve and spend in its budgets. Each step reserves before the model is asked. The statement
 * that stores its usage settles it. So all processes together spend no more than a budget has.
 */
export class Spending {
  readonly #ctx: Context;
  readonly #work: Work;
  #budgetIds: readonly string[] = [];
  #unstored: SpentTokens[] = [];
  #isFree = false;
  #hasDefaults = false;
  #last: CountedPrompt;

  constructor(ctx: Context, work: Work) {
    this.#ctx = ctx;
    this.#work = work;
    this.#last = work.last ?? NOTHING_KNOWN;
  }

  /** The most tokens that the prompt of the last step could have. 0: unknown. */
  get lastMost(): number {
    return this.#last.most;
  }

  /**
   * The most input of a step: what the provider has counted for the last one, and what can be new. A prompt that is shorter
   * than the last one is another prompt.
   * @param most the most tokens that the prompt can have
   */
  inputTokens(most: number): number {
    const { counted, most: before } = this.#last;
    const isKnown = counted > 0 && before > 0 && most >= before;
    return isKnown ? Math.min(most, counted + most - before) : most;
  }

  /**
   * Reserves the most that a step can cost, and returns whether a budget covers it. Waits a moment for the reservations of
   * others.
   * @throws {BudgetReachedError}
   */
  async reserve(ceiling: StepCeiling, { signal, timeoutMs }: StepTime): Promise<boolean> {
    if (this.#isFree) return false;
    if (!this.#hasDefaults) await makeDefaults(this.#ctx, this.#work.place);
    this.#hasDefaults = true;
    const { monotonicMs } = this.#ctx.services.process;
    const endMs = monotonicMs() + WAIT_MS;
    for (;;) {
      const budgets = await reserve(this.#ctx, this.#work.place, ceiling, this.#reserver(timeoutMs));
      this.#isFree = budgets.length === 0;
      const full = budgets.find(({ isReached }) => isReached) ?? budgets.find(({ isFull }) => isFull);
      if (!full) {
        this.#budgetIds = budgets.map(({ id }) => id);
        return !this.#isFree;
      }
      if (full.isReached || monotonicMs() > endMs) throw new BudgetReachedError(budgets);
      await releaseAbandoned(this.#ctx.sql, this.#ctx.environment.id);
      await pause(POLL_MS, undefined, { signal });
    }
  }

  #reserver(timeoutMs: number): Reserver {
    const { workId, fence = null } = this.#work;
    const { end } = this.#ctx.services.stores.leases;
    const until = fence === null ? leaseEnd(timeoutMs + STEP_SLACK_MS) : end;
    return { workId, fence, until, unstored: this.#unstored };
  }

  /**
   * Counts what a step has spent.
   * @param last its prompt, if the next one can begin with it
   */
  count(model: string, usage: Usage, last = this.#last): void {
    this.#last = last;
    if (!this.#isFree) this.#unstored.push({ model, usage: onlyUsage(usage) });
  }

  /** The CTEs with which a statement settles what was reserved and spent. It has the CTE `moved`. */
  settling(): Prisma.Sql[] {
    if (this.#budgetIds.length === 0) return [];
    const { workId, place } = this.#work;
    const work = { workId, conversationId: place.conversationId };
    return settleBudgets(this.#ctx, { ...work, budgetIds: this.#budgetIds, spent: this.#unstored });
  }

  /** Settles the step in a statement of its own. */
  async settle(): Promise<void> {
    const parts = this.settling();
    if (parts.length === 0) return;
    await this.#ctx.sql.execute`WITH moved AS (SELECT 1), ${Prisma.join(parts, ', ')} SELECT 1`;
    this.settled();
  }

  /** The statement was committed. If it fails, a later one settles the same. */
  settled(): void {
    this.#budgetIds = [];
    this.#unstored = [];
  }
}
