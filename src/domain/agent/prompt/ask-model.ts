import { LIMITS } from '../../../contract/limits.ts';
import { tokensOnTop } from '../../../contract/reasoning-tokens.ts';
import type { Usage } from '../../../contract/token-usage.ts';
import { BudgetReachedError } from '../../budgets/budget-reached.ts';
import { type CountedPrompt, NOTHING_KNOWN, type Spending } from '../../budgets/spending.ts';
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
import { stopRunning } from '../settle/stop-running.ts';
import type { TracedStep } from '../trace/span.ts';
import { estimatedUsage, mostTokens } from './tokens.ts';

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
  const most = spending && mostTokens(prompt);
  const asked = spending && most !== undefined ? await withinBudgets(ctx, spending, prompt, most) : prompt;
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
    const step = counted(request, await (process.tracing ? process.tracing.modelStep(request, ask) : ask()));
    // After a summary, the next prompt begins in another way.
    count(step, request.isSummary ? NOTHING_KNOWN : { counted: step.inputTokens, most: most ?? 0 });
    report('ok', step);
    return step;
  } catch (error) {
    if (error instanceof ModelError && error.writtenBytes !== undefined) {
      count(estimatedUsage(request, error.writtenBytes));
    }
    report(error instanceof ModelError ? error.kind : 'failed', error);
    throw error;
  }
}

type Prompt = Omit<ModelRequest, 'onFailure'>;

/** The step with estimates of the tokens that its provider does not report. */
function counted(request: Prompt, step: ModelStep): ModelStep {
  if (step.inputTokens > 0 && (step.outputTokens > 0 || step.text === '')) return step;
  const calls =
    step.calls.length > 0 ? JSON.stringify(step.calls.map(({ name, arguments: args }) => [name, args])) : '';
  const estimate = estimatedUsage(request, Buffer.byteLength(step.text) + Buffer.byteLength(calls));
  const { inputTokens, outputTokens } = step;
  return {
    ...step,
    inputTokens: inputTokens || estimate.inputTokens,
    outputTokens: outputTokens || estimate.outputTokens,
  };
}

/** Reserves the most that a step can cost. Its reply has a limit, so that there is a most. @throws {BudgetReachedError} */
async function withinBudgets(ctx: Context, spending: Spending, prompt: Prompt, most: number): Promise<Prompt> {
  const { model, signal, timeoutMs, maxReplyTokens = LIMITS.budgetReplyTokens } = prompt;
  // The prompt of a summary does not begin with that of the last step.
  const inputTokens = prompt.isSummary ? most : spending.inputTokens(most);
  const ceiling = { model, inputTokens, outputTokens: maxReplyTokens + tokensOnTop(model, prompt.reasoningEffort) };
  const isCovered = await spending.reserve(ceiling, { signal, timeoutMs }).catch(async (error: unknown) => {
    if (error instanceof BudgetReachedError) await stopRunning(ctx, error);
    if (!signal.aborted) throw error;
    throw new ModelError('aborted', 'The step was stopped before the model was asked.', { cause: error });
  });
  return isCovered ? { ...prompt, maxReplyTokens } : prompt;
}
