import { Repeater } from '@repeaterjs/repeater';
import { z } from 'zod';
import type { MessageContent } from '../../contract/content.ts';
import { ServiceError } from '../../contract/errors.ts';
import type { FinishReason } from '../../contract/statuses.ts';
import type { Usage } from '../../contract/token-usage.ts';
import { rulesOf } from '../../shapes/field.ts';
import { RUN_ONCE } from '../../shapes/turns.ts';
import { loadActions } from '../actions/load-actions.ts';
import { BudgetReachedError } from '../budgets/budget-reached.ts';
import type { Context } from '../context.ts';
import type { TimelineEntry } from '../conversations/timeline.ts';
import { requireUsableFiles } from '../files/use.ts';
import { parseInput } from '../input.ts';
import { contentInput } from '../message-content.ts';
import { applyTrigger, type MessageInput, parseMessage } from '../triggers/apply.ts';
import { publishedDeployment } from '../workflows/deployments.ts';
import { runnableDraft } from '../workflows/reads.ts';
import { requireBudget } from './limits/budgets.ts';
import { countTurn } from './limits/turn-limits.ts';
import { assistantMessages } from './rows/run-sql.ts';
import { modelReply } from './run/model-loop.ts';
import { type RequestRunEnd, type RequestRunner, runForRequest } from './run/request-run.ts';
import { withResult } from './run/round.ts';
import { replyOf } from './structured-reply.ts';
import { classifyCalls } from './tools/calls.ts';
import type { Assistant, ModelReply, Reply } from './turn.ts';

/** The result of a one-shot run. Only its line in the workflow log is stored. */
export interface OneShotRun extends Usage {
  readonly content: Reply;
  readonly model: string;
  readonly finishReason: FinishReason | null;
  readonly responseTimeMs: number;
  readonly workflowLogId: number;
}

/** The events of a streamed one-shot reply, in this order: start, any number of deltas, done. */
export type OneShotEvent =
  | { readonly kind: 'start' }
  | { readonly kind: 'delta'; readonly text: string }
  | { readonly kind: 'done'; readonly run: OneShotRun };

const { variablesByName, triggerId } = RUN_ONCE.fields;
const fields = rulesOf({ variables: variablesByName, triggerId });
const RULES = { whole: z.object({ ...fields, content: contentInput }), withoutContent: z.object(fields) };

type Input = Readonly<Record<string, unknown>>;

/** An accepted one-shot run. */
interface OneShot extends Assistant {
  readonly content: MessageContent;
  readonly triggerId: string | null;
}

/**
 * Replies to one message without a conversation. Server actions run. Client tools and
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
  ctx.services.process.runs.requireOpen();
  const deployment = await runnableDraft(ctx, workflowId);
  if (input.triggerId != null) throw triggerOfNothing();
  const { content, variables } = parseInput(RULES.whole, input);
  await requireUsableFiles(ctx, { content });
  const model = deployment.config.model ?? ctx.services.settings.defaultModel;
  return runOneShot(ctx, { deployment, model, content, variables: variables ?? {}, triggerId: null });
}

function triggerOfNothing(): ServiceError {
  const message = '{param} starts a deployment, but a draft has no deployment. Send content.';
  return new ServiceError('invalid_request', message, { param: ['triggerId'] });
}

async function accept(ctx: Context, deploymentId: string, input: Input): Promise<OneShot> {
  ctx.services.process.runs.requireOpen();
  const deployment = await publishedDeployment(ctx, deploymentId);
  await countTurn(ctx, deployment, null);
  const parsed: MessageInput = parseMessage(RULES, input);
  await requireUsableFiles(ctx, parsed);
  const model = deployment.config.model ?? ctx.services.settings.defaultModel;
  const applied = await applyTrigger(ctx, deployment, parsed);
  await requireBudget(ctx, { deployment, model, conversationId: null, content: applied.content, mayTry: true });
  return { deployment, model, ...applied };
}

async function runOneShot(request: Context, oneShot: OneShot, reader?: ReplyReader): Promise<OneShotRun> {
  const run = { ...oneShot, failureMessage: 'a one-shot run failed', gone: reader?.gone };
  const { result, ...line } = await runForRequest(
    request,
    run,
    async (runner): Promise<RequestRunEnd<Pick<OneShotRun, 'content' | 'finishReason'>>> => {
      const reply = await ask({ ...oneShot, spending: runner.spending }, runner, reader);
      if (!reply) return { outcome: 'interrupted', result: { content: '', finishReason: 'budget' } };
      const { text, finishReason } = reply;
      return { outcome: 'completed', result: { content: replyOf(run.deployment.config, text), finishReason } };
    },
  );
  return { ...result, model: run.model, ...line };
}

/** The receiver of a streamed reply. */
interface ReplyReader {
  /** Receives a piece of the text. The model waits for the promise. */
  onText(delta: string): Promise<void>;
  /** Aborted when the client disconnects. The run then stops. */
  readonly gone: AbortSignal;
}

/** Undefined: a budget was reached after the first step, whose actions may have run. @throws {BudgetReachedError} before it */
async function ask(
  run: OneShot,
  runner: RequestRunner,
  reader: ReplyReader | undefined,
): Promise<ModelReply | undefined> {
  const { ctx, signal } = runner;
  const tools = await loadActions(ctx, run.deployment);
  let steps = 0;
  const message = { ...NOWHERE, step: 0, kind: 'message', role: 'user', content: run.content } as const;
  // The offered tools never pause, so without an error there is always a reply.
  return modelReply(ctx, run, [message], {
    tools,
    signal,
    isContinued: false,
    ...(reader && { onText: (delta) => reader.onText(delta), isWatched: () => true }),
    count: runner.count,
    answered() {
      steps += 1;
    },
    async called(step) {
      const { config } = run.deployment;
      const calls = await classifyCalls(ctx, step.calls, { config, tools, canPause: false });
      const running = calls.filter(({ status }) => status === 'running');
      const results = await runner.runActions(tools, running);
      const items = [...assistantMessages(step.text), ...calls];
      return items.map((item) => withResult({ ...NOWHERE, ...item, step: steps } as TimelineEntry, results));
    },
  }).catch((error: unknown) => {
    if (error instanceof BudgetReachedError && steps > 0) return undefined;
    throw error;
  });
}

/** Placeholders for the fields of a stored entry. */
const NOWHERE = { id: 0n, runId: '' } as const;
