import { Repeater } from '@repeaterjs/repeater';
import { z } from 'zod';
import type { MessageContent } from '../../contract/content.ts';
import { ServiceError } from '../../contract/errors.ts';
import { offeredActions } from '../actions/offered.ts';
import type { Context } from '../context.ts';
import type { TimelineEntry } from '../conversations/timeline.ts';
import { parseInput } from '../input.ts';
import { messageContent } from '../message-content.ts';
import { leavesContent, prime } from '../triggers/prime.ts';
import { variablesInput } from '../values-by-name.ts';
import { publishedDeployment } from '../workflows/deployments.ts';
import { runnableDraft } from '../workflows/reads.ts';
import { classifyCall } from './calls.ts';
import { loggedFault, modelFault } from './give-up.ts';
import { modelReply } from './model-loop.ts';
import { ModelFailure } from './model-port.ts';
import type { Reader } from './reader.ts';
import { runActions, withResult } from './round.ts';
import { spoken } from './run-sql.ts';
import { replyOf } from './structured-reply.ts';
import { type Assistant, addUsage, NO_USAGE, type Reply, type Usage } from './turn.ts';
import { countTurn } from './turn-limits.ts';
import { type LogEntry, logOneShot } from './workflow-log.ts';

/** What a one-shot run answers (WIRE 9). Nothing is kept of it but its line in the workflow log. */
export interface OneShotRun extends Usage {
  readonly content: Reply;
  readonly model: string;
  readonly responseTimeMs: number;
  readonly workflowLogId: number;
}

/** What a reader of a one-shot reply is told, in this order: start, any number of deltas, done. */
export type OneShotEvent =
  | { readonly kind: 'start' }
  | { readonly kind: 'delta'; readonly text: string }
  | { readonly kind: 'done'; readonly run: OneShotRun };

const fields = { variables: variablesInput.nullish(), triggerId: z.string().nullish() };
const wholeInput = z.object({ ...fields, content: messageContent });
const primedInput = z.object(fields);

type Input = Readonly<Record<string, unknown>>;

/** A one-shot run that may begin. */
interface OneShot extends Assistant {
  readonly content: MessageContent;
  readonly triggerId: string | null;
}

/**
 * Answers one message outside of any conversation (SPEC 4.7 rule 5, WIRE 9). Server actions run; client tools and
 * completion are not offered, since nobody could come back for them.
 * @throws {ServiceError} what `prime` throws, model_error, model_timeout
 */
export async function runOnce(ctx: Context, deploymentId: string, input: Input): Promise<OneShotRun> {
  return answer(ctx, await accept(ctx, deploymentId, input));
}

/** The same, its reply read as it is made. A reader that goes away stops it. */
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
      await push({ kind: 'done', run: await answer(ctx, accepted, { onText, gone: gone.signal }) });
      stop();
    } catch (error) {
      // Nobody is left to be told that nobody wanted the answer.
      if (!gone.signal.aborted) throw error;
    }
  });
}

/**
 * Answers one message by a workflow's draft, as its publication would: no deployment is touched, and no trigger asked
 * for. Its line in the workflow log names neither deployment nor version.
 * @throws {ServiceError} not_found, invalid_request, model_error, model_timeout
 */
export async function testDraft(ctx: Context, workflowId: number, input: Input): Promise<OneShotRun> {
  ctx.services.runs.requireOpen();
  const deployment = await runnableDraft(ctx, workflowId);
  if (input.triggerId != null) throw triggerOfNothing();
  const { content, variables } = parseInput(wholeInput, input);
  const model = deployment.config.model ?? ctx.services.defaultModel;
  return answer(ctx, { deployment, model, content, variables: variables ?? {}, triggerId: null });
}

function triggerOfNothing(): ServiceError {
  const message = '{param} starts a deployment, which a draft has none of: send content.';
  return new ServiceError('invalid_request', message, { param: ['triggerId'] });
}

async function accept(ctx: Context, deploymentId: string, input: Input): Promise<OneShot> {
  ctx.services.runs.requireOpen();
  const deployment = await publishedDeployment(ctx, deploymentId);
  await countTurn(ctx, deployment, null);
  const given = leavesContent(input) ? parseInput(primedInput, input) : parseInput(wholeInput, input);
  const model = deployment.config.model ?? ctx.services.defaultModel;
  return { deployment, model, ...(await prime(ctx, deployment, given)) };
}

function answer(ctx: Context, run: OneShot, reader?: Reader): Promise<OneShotRun> {
  const startedAt = ctx.now().getTime();
  const spent = { usage: NO_USAGE };
  const log = async (entry: Pick<LogEntry, 'outcome' | 'errorCode'>) => {
    const at = ctx.now();
    const responseTimeMs = at.getTime() - startedAt;
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
      const told = error instanceof ModelFailure ? modelFault(error, 'Send it again.', {}) : error;
      const errorCode = told instanceof ServiceError ? told.code : 'internal_error';
      ctx.services.log.warn({ request_id: ctx.request.id, ...loggedFault(error) }, 'a one-shot run failed');
      await log(reader?.gone.aborted ? { outcome: 'interrupted', errorCode: null } : { outcome: 'failed', errorCode });
      throw told;
    }
  });
}

interface Work {
  readonly spent: { usage: Usage };
  readonly stopped: AbortSignal;
  readonly reader: Reader | undefined;
}

async function ask(ctx: Context, run: OneShot, { spent, stopped, reader }: Work): Promise<string> {
  const signal = reader ? AbortSignal.any([stopped, reader.gone]) : stopped;
  const tools = await offeredActions(ctx, run.deployment);
  let steps = 0;
  const text = await modelReply(ctx, run, {
    entries: [{ ...NOWHERE, step: 0, kind: 'message', role: 'user', content: run.content }],
    tools,
    signal,
    onText: reader && ((delta) => reader.onText(delta)),
    answered(step) {
      steps += 1;
      spent.usage = addUsage(spent.usage, step);
    },
    async called(step) {
      const calls = step.calls.map((call) => classifyCall(ctx, call, tools));
      const running = calls.filter(({ status }) => status === 'running');
      const results = await runActions(ctx, { deployment: run.deployment, tools }, running, signal);
      const items = [...spoken(step.text), ...calls];
      return items.map((item) => withResult({ ...NOWHERE, ...item, step: steps } as TimelineEntry, results));
    },
  });
  // Nothing that is offered here pauses, so there always is a reply.
  return text ?? '';
}

/** What is told of a run that is not stored. */
const NOWHERE = { id: 0n, runId: '' } as const;
