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

/** Receives a step for the trace of its run. Undefined: nobody can read one. */
export type StepTracer = ((step: TracedStep) => void) | undefined;

/** Runs one model step, measures its time and reports it. @throws {ModelError} */
export async function askModel(
  ctx: Context,
  asked: Omit<ModelRequest, 'onFailure'>,
  trace: StepTracer,
  onText?: TextListener,
): Promise<ModelStep> {
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
    report('ok', step);
    return step;
  } catch (error) {
    report(error instanceof ModelError ? error.kind : 'failed', error);
    throw error;
  }
}
