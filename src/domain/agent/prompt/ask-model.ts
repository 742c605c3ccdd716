import { LIMITS } from '../../../contract/limits.ts';
import { tokensOnTop } from '../../../contract/reasoning-tokens.ts';
import type { Usage } from '../../../contract/token-usage.ts';
import type { StepCeiling } from '../../budgets/budget-cost.ts';
import { BudgetReachedError } from '../../budgets/budget-reached.ts';
import type { CountedPrompt, PromptSize, Spending } from '../../budgets/spending.ts';
import { stopRunning } from '../../budgets/stop-running.ts';
import type { Context } from '../../context.ts';
import { elapsedMs } from '../../telemetry.ts';
import {
  ModelError,
  type ModelErrorKind,
  type ModelRequest,
  type ModelStep,
  type ProviderFailure,
  type TextListener,
} from '../model-port.ts';
import { storable } from '../rows/storable.ts';
import type { TracedStep } from '../trace/span.ts';
import { estimatedUsage, promptSize } from './tokens.ts';

/** Receives a step for the trace of its run. Undefined: nobody can read one. */
export type StepTracer = ((step: TracedStep) => void) | undefined;

/** Who counts a step. */
export interface StepAccount {
  readonly trace?: StepTracer;
  /** Undefined: the environment has no budgets. */
  readonly spending?: Spending | undefined;
  /** Receives what the step used, even if it was stopped or failed after its provider had begun. */
  count(usage: Usage): void;
}

/** Runs one model step, measures its time and reports it. @throws {ModelError}, or {BudgetReachedError} before the model is asked */
export async function askModel(
  ctx: Context,
  prompt: Prompt,
  account: StepAccount,
  onText?: TextListener,
): Promise<ModelStep> {
  const { trace, spending } = account;
  const { asked, size, ceiling } = spending ? await withinBudgets(ctx, prompt, spending) : { asked: prompt };
  const { process, ports } = ctx.services;
  const startedAt = ctx.now();
  const startedMs = process.monotonicMs();
  const failures: ProviderFailure[] = [];
  const request: ModelRequest = { ...asked, onFailure: (failure) => failures.push(failure) };
  const report = (outcome: 'ok' | ModelErrorKind, result: TracedStep['result']) => {
    const durationMs = elapsedMs(process, startedMs);
    process.observer.modelAnswered(request.model, outcome, durationMs);
    trace?.({ request, failures, result, startedAt, durationMs });
  };
  const count = (usage: Usage, last?: CountedPrompt) => {
    spending?.count(request.model, usage, last);
    account.count(usage);
  };
  try {
    const ask = async () => storable(await ports.model.step(request, onText));
    const answered = await (process.tracing ? process.tracing.modelStep(request, ask) : ask());
    const step = withEstimates(request, answered, ceiling);
    count(step, size && countedPrompt(request, answered, size));
    report('ok', step);
    return step;
  } catch (error) {
    if (error instanceof ModelError && error.writtenBytes !== undefined) {
      count(estimate(request, error.writtenBytes, ceiling));
    }
    report(error instanceof ModelError ? error.kind : 'failed', error);
    throw error;
  }
}

type Prompt = Omit<ModelRequest, 'onFailure'>;

/** The prompt, if its provider has counted it and the next one contains it. After a summary, that begins in another way. */
function countedPrompt({ isSummary }: Prompt, answered: ModelStep, size: PromptSize): CountedPrompt | undefined {
  const { inputTokens, outputTokens, isReduced } = answered;
  return isSummary || isReduced || inputTokens === 0 ? undefined : { ...size, tokens: inputTokens + outputTokens };
}

/** The step with estimates of the tokens that its provider did not count. */
function withEstimates(request: Prompt, step: ModelStep, ceiling: StepCeiling | undefined): ModelStep {
  if (step.writtenBytes === undefined) return step;
  const estimated = estimate(request, step.writtenBytes, ceiling);
  const { inputTokens, outputTokens } = step;
  return {
    ...step,
    inputTokens: inputTokens || estimated.inputTokens,
    outputTokens: outputTokens || estimated.outputTokens,
  };
}

/** What the step used, and no more than it has reserved. */
function estimate(request: Prompt, writtenBytes: number, ceiling: StepCeiling | undefined): Usage {
  const usage = estimatedUsage(request, writtenBytes);
  if (!ceiling) return usage;
  const { inputTokens, outputTokens } = ceiling;
  return {
    ...usage,
    inputTokens: Math.min(usage.inputTokens, inputTokens),
    outputTokens: Math.min(usage.outputTokens, outputTokens),
  };
}

/** A prompt within the budgets. Its ceiling is undefined if no budget covers it. */
interface Affordable {
  readonly asked: Prompt;
  readonly size?: PromptSize;
  readonly ceiling?: StepCeiling;
}

/** Reserves the most that a step can cost. Its reply has a limit, so that there is a most. @throws {BudgetReachedError} */
async function withinBudgets(ctx: Context, prompt: Prompt, spending: Spending): Promise<Affordable> {
  const size = promptSize(prompt);
  const { model, signal, timeoutMs, maxReplyTokens = LIMITS.budgetReplyTokens } = prompt;
  // The prompt of a summary does not begin with that of the last step.
  const inputTokens = prompt.isSummary ? size.most : spending.inputTokens(size);
  const ceiling = { model, inputTokens, outputTokens: maxReplyTokens + tokensOnTop(model, prompt.reasoningEffort) };
  const isCovered = await spending.reserve(ceiling, { signal, timeoutMs }).catch(async (error: unknown) => {
    if (error instanceof BudgetReachedError) {
      ctx.services.process.usedUpBudgets.set(ctx.environment.id, true, 0);
      await stopRunning(ctx, error);
    }
    if (!signal.aborted) throw error;
    throw new ModelError('aborted', 'The step was stopped before the model was asked.', { cause: error });
  });
  return isCovered ? { asked: { ...prompt, maxReplyTokens }, size, ceiling } : { asked: prompt, size };
}
