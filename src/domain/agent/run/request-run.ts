import { ServiceError } from '../../../contract/errors.ts';
import { addUsage, NO_USAGE, type Usage } from '../../../contract/token-usage.ts';
import { guardedByClaim, withoutClaim } from '../../access/caller-context.ts';
import { ClaimLostError, requireClaim } from '../../access/claimed-effect.ts';
import { Spending } from '../../budgets/spending.ts';
import { placeOfCaller } from '../../budgets/spending-place.ts';
import type { Context } from '../../context.ts';
import { elapsedMs } from '../../telemetry.ts';
import { ModelError } from '../model-port.ts';
import { type LogEntry, type LoggedRun, logOneShot } from '../rows/workflow-log.ts';
import { loggableError, modelServiceError } from '../settle/failed-turn.ts';
import type { NewCall } from '../tools/calls.ts';
import type { OfferedTool } from '../tools/offered-tool.ts';
import type { Assistant } from '../turn.ts';
import type { CallResult } from './move-run.ts';
import { runActions } from './round.ts';

/** A run that its request waits for: a one-shot run, or a turn of a test. */
interface RequestRun extends Assistant, LoggedRun {
  /** The message in the log of the service if the run fails. */
  readonly failureMessage: string;
  /** Aborted when the client disconnects. The run then stops. */
  readonly gone: AbortSignal | undefined;
}

/** What the steps of such a run need. */
export interface RequestRunner {
  /** Its writes fail if another process has the key of the request. */
  readonly ctx: Context;
  readonly signal: AbortSignal;
  /** Undefined: the environment has no budgets. */
  readonly spending: Spending | undefined;
  count(usage: Usage): void;
  /** Runs server actions in order. @throws {ClaimLostError} */
  runActions(tools: readonly OfferedTool[], calls: readonly NewCall[]): Promise<CallResult[]>;
}

/** How the steps ended. */
export interface RequestRunEnd<Result> {
  readonly outcome: LogEntry['outcome'];
  readonly result: Result;
}

/** The result of the steps with the line in the workflow log. */
type Logged<Result> = Usage & {
  readonly result: Result;
  readonly responseTimeMs: number;
  readonly workflowLogId: number;
};

type Outcome = Pick<LogEntry, 'outcome' | 'errorCode' | 'isShown'>;

const INTERRUPTED: Outcome = { outcome: 'interrupted', errorCode: null };

/**
 * Runs the steps of a model for a request. Only a line in the workflow log is stored. The process can stall while it
 * asks the model. If another process then has the key of the request, this one starts no action, and its outcome is that
 * it was interrupted: its line counts the cost.
 * @throws {ServiceError} model_error, model_timeout, unavailable
 */
export async function runForRequest<Result>(
  request: Context,
  run: RequestRun,
  takeSteps: (runner: RequestRunner) => Promise<RequestRunEnd<Result>>,
): Promise<Logged<Result>> {
  await requireClaim(request);
  const { services } = request;
  const ctx = guardedByClaim(request);
  const startedMs = services.process.monotonicMs();
  let usage = NO_USAGE;
  const spending = run.deployment.hasBudgets ? spendingOf(ctx, run) : undefined;
  const write = async (writer: Context, outcome: Outcome) => {
    const responseTimeMs = elapsedMs(services.process, startedMs);
    const entry = { ...outcome, usage, spending, step: null, responseTimeMs, at: request.now() };
    const workflowLogId = await logOneShot(writer, run, entry);
    services.process.observer.turnEnded(outcome.outcome);
    return { responseTimeMs, workflowLogId };
  };
  const log = (outcome: Outcome) =>
    write(ctx, outcome).catch(async (error: unknown) => {
      if (error instanceof ClaimLostError) await write(withoutClaim(request), { ...INTERRUPTED, isShown: false });
      throw error;
    });
  return services.process.runs.workUnleased(async (stopped) => {
    const signal = run.gone ? AbortSignal.any([stopped, run.gone]) : stopped;
    const runner: RequestRunner = {
      ctx,
      signal,
      spending,
      count: (spent) => {
        usage = addUsage(usage, spent);
      },
      async runActions(tools, calls) {
        // Actions can take longer than the reservation of the step that called them.
        await spending?.settle();
        const requireKey = () => requireClaim(request);
        await requireKey();
        return runActions(ctx, { deployment: run.deployment, tools }, calls, signal, requireKey);
      },
    };
    const end = await takeSteps(runner).catch(async (error: unknown) => {
      const thrown = error instanceof ModelError ? modelServiceError(error, 'Send it again.', {}) : error;
      services.process.log.warn({ request_id: request.request.id, ...loggableError(error) }, run.failureMessage);
      await log(run.gone?.aborted ? INTERRUPTED : { outcome: 'failed', errorCode: codeOf(thrown) });
      throw thrown;
    });
    const line = await log({ outcome: end.outcome, errorCode: null });
    return { result: end.result, ...usage, ...line };
  });
}

function spendingOf(ctx: Context, { deployment }: RequestRun): Spending {
  const workId = ctx.newId();
  return new Spending(ctx, { workId, place: { ...placeOfCaller(ctx, deployment, null), runId: workId } });
}

function codeOf(error: unknown): LogEntry['errorCode'] {
  return error instanceof ServiceError ? error.code : 'internal_error';
}
