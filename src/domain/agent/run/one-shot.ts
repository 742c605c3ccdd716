import { Repeater } from '@repeaterjs/repeater';
import { z } from 'zod';
import type { MessageContent } from '../../../contract/content.ts';
import { ServiceError } from '../../../contract/errors.ts';
import { withoutClaim } from '../../access/caller-context.ts';
import { requireClaim } from '../../access/claimed-effect.ts';
import { loadActions } from '../../actions/load-actions.ts';
import type { Context } from '../../context.ts';
import type { TimelineEntry } from '../../conversations/timeline.ts';
import { triggerIdInput } from '../../conversations/turn-input.ts';
import { requireUsableFiles } from '../../files/use.ts';
import { parseInput } from '../../input.ts';
import { contentInput } from '../../message-content.ts';
import { elapsedMs } from '../../telemetry.ts';
import { applyTrigger, leavesContent, type Primable } from '../../triggers/apply.ts';
import { oneShotVariablesInput } from '../../values-by-name.ts';
import { publishedDeployment } from '../../workflows/deployments.ts';
import { runnableDraft } from '../../workflows/reads.ts';
import { countTurn } from '../accept/turn-limits.ts';
import { ModelError } from '../model-port.ts';
import { loggableError, modelServiceError } from '../settle/failed-turn.ts';
import { addUsage, NO_USAGE, type Usage } from '../token-usage.ts';
import { classifyCalls } from '../tools/calls.ts';
import type { Assistant, Reply } from '../turn.ts';
import { modelReply } from './model-loop.ts';
import { runActions, withResult } from './round.ts';
import { assistantMessages } from './run-sql.ts';
import { replyOf } from './structured-reply.ts';
import { type LogEntry, logOneShot } from './workflow-log.ts';

/** The result of a one-shot run (WIRE 9). Only its line in the workflow log is stored. */
export interface OneShotRun extends Usage {
  readonly content: Reply;
  readonly model: string;
  readonly responseTimeMs: number;
  readonly workflowLogId: number;
}

/** The events of a streamed one-shot reply, in this order: start, any number of deltas, done. */
export type OneShotEvent =
  | { readonly kind: 'start' }
  | { readonly kind: 'delta'; readonly text: string }
  | { readonly kind: 'done'; readonly run: OneShotRun };

const fields = { variables: oneShotVariablesInput.nullish(), triggerId: triggerIdInput };
const wholeInput = z.object({ ...fields, content: contentInput });
const triggerInput = z.object(fields);

type Input = Readonly<Record<string, unknown>>;

/** An accepted one-shot run. */
interface OneShot extends Assistant {
  readonly content: MessageContent;
  readonly triggerId: string | null;
}

/**
 * Replies to one message without a conversation (SPEC 4.7 rule 5, WIRE 9). Server actions run. Client tools and
 * completion are not offered, because no later request could return results.
 * @throws {ServiceError} the errors of `applyTrigger`, model_error, model_timeout
 */
export async function runOnce(ctx: Context, deploymentId: string, input: Input): Promise<OneShotRun> {
  return runOneShot(ctx, await accept(ctx, deploymentId, input));
}

/** Does the same as a stream. The run stops when the client disconnects. */
export function oneShotStream(ctx: Context, deploymentId: string, input: Input): AsyncIterableIterator<OneShotEvent> {
  return new Repeater<OneShotEvent>(async (push, stop) => {
    const gone = new AbortController();
    stop.then(() => gone.abort());
    const accepted = await accept(ctx, deploymentId, input);
    void push({ kind: 'start' });
    const onText = async (text: string) => {
      await push({ kind: 'delta', text });
    };
    try {
      await push({ kind: 'done', run: await runOneShot(ctx, accepted, { onText, gone: gone.signal }) });
      stop();
    } catch (error) {
      // The client has disconnected, so the error has no receiver.
      if (!gone.signal.aborted) throw error;
    }
  });
}

/**
 * Replies to one message with a workflow's draft, as if it were published. It uses no deployment and no trigger. Its
 * line in the workflow log has neither deployment nor version.
 * @throws {ServiceError} not_found, invalid_request, model_error, model_timeout
 */
export async function testDraft(ctx: Context, workflowId: number, input: Input): Promise<OneShotRun> {
  ctx.services.runs.requireOpen();
  const deployment = await runnableDraft(ctx, workflowId);
  if (input.triggerId != null) throw triggerOfNothing();
  const { content, variables } = parseInput(wholeInput, input);
  await requireUsableFiles(ctx, { content });
  const model = deployment.config.model ?? ctx.services.defaultModel;
  return runOneShot(ctx, { deployment, model, content, variables: variables ?? {}, triggerId: null });
}

function triggerOfNothing(): ServiceError {
  const message = '{param} starts a deployment, but a draft has no deployment. Send content.';
  return new ServiceError('invalid_request', message, { param: ['triggerId'] });
}

async function accept(ctx: Context, deploymentId: string, input: Input): Promise<OneShot> {
  ctx.services.runs.requireOpen();
  const deployment = await publishedDeployment(ctx, deploymentId);
  await countTurn(ctx, deployment, null);
  const parsed: Primable = leavesContent(input) ? parseInput(triggerInput, input) : parseInput(wholeInput, input);
  await requireUsableFiles(ctx, { content: parsed.content });
  const model = deployment.config.model ?? ctx.services.defaultModel;
  return { deployment, model, ...(await applyTrigger(ctx, deployment, parsed)) };
}

async function runOneShot(request: Context, run: OneShot, reader?: ReplyReader): Promise<OneShotRun> {
  await requireClaim(request);
  // The model is asked now. If another process takes the key over, the line still counts the cost.
  const ctx = withoutClaim(request);
  const startedMs = ctx.services.monotonicMs();
  const spent = { usage: NO_USAGE };
  const log = async (entry: Pick<LogEntry, 'outcome' | 'errorCode'>) => {
    const at = ctx.now();
    const responseTimeMs = elapsedMs(ctx.services, startedMs);
    ctx.services.observer.turnEnded(entry.outcome);
    return {
      responseTimeMs,
      workflowLogId: await logOneShot(ctx, run, { ...entry, ...spent, step: null, responseTimeMs, at }),
    };
  };
  return ctx.services.runs.workUnleased(async (stopped) => {
    try {
      const text = await ask(ctx, run, { spent, stopped, reader });
      const line = await log({ outcome: 'completed', errorCode: null });
      return { content: replyOf(run.deployment.config, text), model: run.model, ...spent.usage, ...line };
    } catch (error) {
      const thrown = error instanceof ModelError ? modelServiceError(error, 'Send it again.', {}) : error;
      const errorCode = thrown instanceof ServiceError ? thrown.code : 'internal_error';
      ctx.services.log.warn({ request_id: ctx.request.id, ...loggableError(error) }, 'a one-shot run failed');
      await log(reader?.gone.aborted ? { outcome: 'interrupted', errorCode: null } : { outcome: 'failed', errorCode });
      throw thrown;
    }
  });
}

/** The receiver of a streamed reply. */
interface ReplyReader {
  /** Receives a piece of the text. The model waits for the promise. */
  onText(delta: string): Promise<void>;
  /** Aborted when the client disconnects. The run then stops. */
  readonly gone: AbortSignal;
}

interface Work {
  readonly spent: { usage: Usage };
  readonly stopped: AbortSignal;
  readonly reader: ReplyReader | undefined;
}

async function ask(ctx: Context, run: OneShot, { spent, stopped, reader }: Work): Promise<string> {
  const signal = reader ? AbortSignal.any([stopped, reader.gone]) : stopped;
  const tools = await loadActions(ctx, run.deployment);
  let steps = 0;
  const reply = await modelReply(ctx, run, {
    entries: [{ ...NOWHERE, step: 0, kind: 'message', role: 'user', content: run.content }],
    tools,
    signal,
    ...(reader && { onText: (delta) => reader.onText(delta), isWatched: () => true }),
    answered(step) {
      steps += 1;
      spent.usage = addUsage(spent.usage, step);
    },
    async called(step) {
      const { config } = run.deployment;
      const calls = await classifyCalls(ctx, step.calls, { config, tools, canPause: false });
      const running = calls.filter(({ status }) => status === 'running');
      const results = await runActions(ctx, { deployment: run.deployment, tools }, running, signal);
      const items = [...assistantMessages(step.text), ...calls];
      return items.map((item) => withResult({ ...NOWHERE, ...item, step: steps } as TimelineEntry, results));
    },
  });
  // The offered tools never pause, so there is always a reply.
  return reply?.text ?? '';
}

/** Placeholders for the fields of a stored entry. */
const NOWHERE = { id: 0n, runId: '' } as const;
