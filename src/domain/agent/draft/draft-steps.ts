import { addUsage, NO_USAGE } from '../../../contract/token-usage.ts';
import type { Context } from '../../context.ts';
import type { TimelineEntry } from '../../conversations/timeline.ts';
import { elapsedMs } from '../../telemetry.ts';
import { historyLimitOf } from '../../workflows/config.ts';
import type { ModelStep } from '../model-port.ts';
import { assistantMessages } from '../rows/run-sql.ts';
import { modelReply } from '../run/model-loop.ts';
import type { RequestRunner } from '../run/request-run.ts';
import { isPending } from '../run/round.ts';
import { classifyCalls, isCompletion, type NewCall } from '../tools/calls.ts';
import type { OfferedTool } from '../tools/offered-tool.ts';
import type { Assistant, ModelReply } from '../turn.ts';
import type { DraftStep, DraftTurnEvent } from './draft-events.ts';

interface Turn extends Assistant {
  readonly entries: readonly TimelineEntry[];
  readonly tools: readonly OfferedTool[];
  /** The steps of the turn before this request. */
  readonly stepsDone: number;
}

/** The end of the steps. Without a reply, calls wait for their results. */
interface StepsEnd {
  readonly reply: ModelReply | undefined;
  readonly completes: boolean;
}

/** Runs the model and its server actions until the model replies or calls a client tool. @throws {ModelError} */
export async function runDraftSteps(
  turn: Turn,
  runner: RequestRunner,
  emit: (event: DraftTurnEvent) => Promise<unknown>,
): Promise<StepsEnd> {
  const { ctx, signal } = runner;
  const requests: DraftStep[] = [];
  let number = turn.stepsDone;
  let startedMs = ctx.services.process.monotonicMs();
  let measured = { usage: NO_USAGE, responseTimeMs: 0 };
  /** The latest step whose server tools ran. If its last tool asks for the completion, the conversation completes. */
  let completing: DraftStep | undefined;
  const nextStep = (text: string, calls: readonly NewCall[]): DraftStep => {
    const { usage, responseTimeMs } = measured;
    measured = { usage: NO_USAGE, responseTimeMs: 0 };
    return { number, text, calls, responseTimeMs, ...usage };
  };
  const reply = await modelReply(ctx, turn, turn.entries, {
    tools: turn.tools,
    isContinued: historyLimitOf(turn.deployment.config) !== 0,
    signal,
    isWatched: () => true,
    onText: async (text) => {
      await emit({ kind: 'delta', number: number + 1, text });
    },
    // A reply that is repaired counts as one step.
    count(usage) {
      measured = { ...measured, usage: addUsage(measured.usage, usage) };
      runner.count(usage);
    },
    answered() {
      measured = { ...measured, responseTimeMs: measured.responseTimeMs + elapsedMs(ctx.services.process, startedMs) };
      startedMs = ctx.services.process.monotonicMs();
    },
    async called(answer) {
      number += 1;
      const calls = await classified(ctx, turn, answer);
      const step = nextStep(answer.text, calls);
      await emit({ kind: 'step', step });
      const done = await withResults(runner, turn, step);
      await emit({ kind: 'step', step: done });
      startedMs = ctx.services.process.monotonicMs();
      if (calls.some(isPending)) return undefined;
      const ran = done.calls.filter((call) =>
        calls.some(({ callId, status }) => callId === call.callId && status === 'running'),
      );
      const last = ran.at(-1);
      if (last) completing = isCompletion(last) ? done : undefined;
      if (ran.some(isCompletion)) requests.push(done);
      return entriesOf(done);
    },
  });
  if (!reply) return { reply, completes: false };
  number += 1;
  await emit({ kind: 'step', step: nextStep(reply.text, []) });
  for (const step of requests) await emit({ kind: 'step', step: decided(step, step === completing) });
  return { reply, completes: completing !== undefined };
}

/** Calls that need an approval fail: nobody can be asked in a test. */
async function classified(
  ctx: Context,
  { deployment: { config }, tools }: Turn,
  answer: ModelStep,
): Promise<NewCall[]> {
  const calls = await classifyCalls(ctx, answer.calls, { config, tools, canPause: false });
  if (!calls.some(isPending)) return calls;
  return calls.map((call) => (isOpenCompletion(call) ? { ...call, status: 'not_completed' } : call));
}

const isOpenCompletion = (call: NewCall) => isCompletion(call) && call.status === 'running';

async function withResults(runner: RequestRunner, { tools }: Turn, step: DraftStep): Promise<DraftStep> {
  const actions = step.calls.filter((call) => call.status === 'running' && !isCompletion(call));
  const results = await runner.runActions(tools, actions);
  const calls = step.calls.map((call): NewCall => {
    const result = results.find(({ callId }) => callId === call.callId);
    return result ? { ...call, status: result.status, output: result.output } : call;
  });
  return { ...step, calls };
}

/** Only the last request to complete the conversation applies, and only if no other server tool ran after it. */
function decided(step: DraftStep, applies: boolean): DraftStep {
  const last = step.calls.findLast(isOpenCompletion);
  const calls = step.calls.map((call): NewCall => {
    if (!isOpenCompletion(call)) return call;
    return { ...call, status: applies && call === last ? 'completed' : 'not_completed' };
  });
  return { ...step, calls };
}

function entriesOf({ number, text, calls }: DraftStep): TimelineEntry[] {
  const items = [...assistantMessages(text), ...calls];
  return items.map((item) => ({ id: 0n, runId: 'current', step: number, ...item }) as TimelineEntry);
}
