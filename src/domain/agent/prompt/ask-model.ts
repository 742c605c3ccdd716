import { LIMITS } from '../../../contract/limits.ts';
import { tokensOnTop } from '../../../contract/reasoning-tokens.ts';
import type { PromptSize, Spending } from '../../budgets/spending.ts';
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
import { mostTokens } from './tokens.ts';

/** Receives a step for the trace of its run. Undefined: nobody can read one. */
export type StepTracer = ((step: TracedStep) => void) | undefined;

/** Who counts a step. */
export interface StepAccount {
  readonly trace?: StepTracer;
  /** Undefined: the environment has no budgets. */
  readonly spending?: Spending | undefined;
}

/** Runs one model step, measures its time and reports it. @throws {ModelError}, or {BudgetReachedError} before the model is asked */
export async function askModel(
  ctx: Context,
  prompt: Prompt,
  { trace, spending }: StepAccount,
  onText?: TextListener,
): Promise<ModelStep> {
  const size = spending && mostTokens(prompt);
  const asked = spending && size ? await withinBudgets(spending, prompt, size) : prompt;
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
  try {
    const ask = async () => storable(await ports.model.step(request, onText));
    const step = await (process.tracing ? process.tracing.modelStep(request, ask) : ask());
    spending?.count(request.model, step, request.isSummary ? undefined : size?.all);
    report('ok', step);
    return step;
  } catch (error) {
    report(error instanceof ModelError ? error.kind : 'failed', error);
    throw error;
  }
}

type Prompt = Omit<ModelRequest, 'onFailure'>;

/** Reserves the most that a step can cost. Its reply has a limit, so that there is a most. @throws {BudgetReachedError} */
async function withinBudgets(spending: Spending, prompt: Prompt, size: PromptSize): Promise<Prompt> {
  const { model, signal, timeoutMs, maxReplyTokens = LIMITS.budgetReplyTokens } = prompt;
  // The prompt of a summary does not begin with that of the last step.
  const inputTokens = prompt.isSummary ? size.all : spending.inputTokens(size);
  const ceiling = { model, inputTokens, outputTokens: maxReplyTokens + tokensOnTop(model, prompt.reasoningEffort) };
  const isCovered = await spending.reserve(ceiling, { signal, timeoutMs }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    throw new ModelError('aborted', 'The step was stopped before the model was asked.', { cause: error });
  });
  return isCovered ? { ...prompt, maxReplyTokens } : prompt;
}
