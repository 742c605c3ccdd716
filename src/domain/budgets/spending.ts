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
}

/** What identifies a prompt, and bounds it. */
export interface PromptSize {
  /** Of the model, its instructions and tools. Another prompt begins in another way. */
  readonly key: number;
  /** The most tokens that it can have. */
  readonly most: number;
}

/** A prompt whose tokens a provider has counted, with the reply to it. */
export interface CountedPrompt extends PromptSize {
  readonly tokens: number;
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
  #last: CountedPrompt | undefined;
  #isShortened = false;

  constructor(ctx: Context, work: Work) {
    this.#ctx = ctx;
    this.#work = work;
  }

  /** The last prompt, if that of the next turn contains it. Undefined: unknown. */
  get last(): CountedPrompt | undefined {
    return this.#isShortened ? undefined : this.#last;
  }

  /** The turn begins with the whole of a prompt that a provider has counted. */
  continue(last: CountedPrompt | null): void {
    this.#last = last ?? undefined;
  }

  /** The next prompt leaves out a part of the last one. */
  shorten(): void {
    this.#last = undefined;
    this.#isShortened = true;
  }

  /** The most input of a step: what the provider has counted for the last one, and what can be new. */
  inputTokens({ key, most }: PromptSize): number {
    const last = this.#last;
    return last && last.key === key && most >= last.most ? last.tokens + most - last.most : most;
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
   * @param last its prompt, if its provider has counted it and the next one contains it
   */
  count(model: string, usage: Usage, last?: CountedPrompt): void {
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
