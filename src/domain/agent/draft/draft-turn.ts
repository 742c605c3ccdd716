import { Repeater } from '@repeaterjs/repeater';
import type { Context } from '../../context.ts';
import type { TimelineEntry } from '../../conversations/timeline.ts';
import { historyLimitOf } from '../../workflows/config.ts';
import type { RunnableWorkflow } from '../../workflows/deployments.ts';
import { runnableDraft, runnableVersion } from '../../workflows/reads.ts';
import { runForRequest } from '../run/request-run.ts';
import { replyOf } from '../structured-reply.ts';
import type { OfferedTool } from '../tools/offered-tool.ts';
import { offeredTools } from '../tools/tools.ts';
import type { Assistant } from '../turn.ts';
import type { DraftTurnEvent, DraftTurnResult } from './draft-events.ts';
import { draftHistory } from './draft-history.ts';
import { runDraftSteps } from './draft-steps.ts';
import { type DraftTurnInput, parseDraftTurn } from './draft-turn-input.ts';

/** An accepted turn of a test. */
interface DraftTurn extends Assistant {
  readonly entries: readonly TimelineEntry[];
  readonly tools: readonly OfferedTool[];
  readonly stepsDone: number;
}

/**
 * Runs a turn of a test: with the draft of a workflow, or with one of its versions. The caller keeps the conversation
 * and sends it with each turn, so only a line in the workflow log is stored. Server actions run. Calls that need an
 * approval fail, like in every run without a stored conversation. The turn stops when the caller disconnects.
 * @throws {ServiceError} not_found, invalid_request, invalid_tool_result, missing_tool_results, model_error,
 * model_timeout
 */
export function draftTurnStream(
  ctx: Context,
  workflowId: number,
  input: Readonly<Record<string, unknown>>,
): AsyncIterableIterator<DraftTurnEvent> {
  return new Repeater<DraftTurnEvent>(async (push, stop) => {
    const gone = new AbortController();
    stop.then(() => gone.abort());
    const accepted = await accept(ctx, workflowId, input);
    void push({ kind: 'start' });
    try {
      const result = await runLogged(ctx, accepted, { emit: push, gone: gone.signal });
      await push({ kind: 'done', result });
      stop();
    } catch (error) {
      // The caller has disconnected, so the error has no receiver.
      if (!gone.signal.aborted) throw error;
    }
  });
}

async function accept(ctx: Context, workflowId: number, input: Readonly<Record<string, unknown>>): Promise<DraftTurn> {
  ctx.services.process.runs.requireOpen();
  const parsed = await parsedFor(ctx, workflowId, input);
  const { deployment, turn } = parsed;
  const { config } = deployment;
  const entries = await draftHistory(ctx, turn, historyLimitOf(config));
  // The caller can answer every tool of the workflow.
  const capabilities = config.clientTools.map(({ name }) => ({ name }));
  return {
    deployment,
    entries,
    model: turn.model ?? config.model ?? ctx.services.settings.defaultModel,
    variables: turn.variables ?? {},
    tools: await offeredTools(ctx, { ...deployment, dynamicClientTools: false }, capabilities),
    stepsDone: turn.turns.at(-1)?.steps?.length ?? 0,
  };
}

async function parsedFor(
  ctx: Context,
  workflowId: number,
  input: Readonly<Record<string, unknown>>,
): Promise<{ readonly deployment: RunnableWorkflow; readonly turn: DraftTurnInput }> {
  const draft = await runnableDraft(ctx, workflowId);
  const turn = parseDraftTurn(input);
  return { turn, deployment: turn.version == null ? draft : await runnableVersion(ctx, workflowId, turn.version) };
}

/** The receiver of the events. */
interface Receiver {
  emit(event: DraftTurnEvent): Promise<unknown>;
  /** Aborted when the caller disconnects. */
  readonly gone: AbortSignal;
}

async function runLogged(ctx: Context, turn: DraftTurn, { emit, gone }: Receiver): Promise<DraftTurnResult> {
  const run = { ...turn, triggerId: null, failureMessage: 'a test of a draft failed', gone };
  const { result, ...line } = await runForRequest(ctx, run, async (runner) => {
    const end = await runDraftSteps({ ...turn, spending: runner.spending }, runner, emit);
    return { outcome: end.reply ? 'completed' : 'waiting_for_client_action', result: end };
  });
  const { reply, completes } = result;
  return {
    content: reply ? replyOf(turn.deployment.config, reply.text) : null,
    finishReason: reply?.finishReason ?? null,
    completesConversation: completes,
    model: turn.model,
    ...line,
  };
}
