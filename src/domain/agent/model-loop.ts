import type { Context } from '../context.ts';
import type { TimelineEntry } from '../conversations/timeline.ts';
import { askModel, type StepRequest } from './ask-model.ts';
import { ModelFailure, type ModelStep } from './model-port.ts';
import { refusedReply } from './structured-reply.ts';
import type { OfferedTool } from './tools.ts';
import type { Assistant } from './turn.ts';

/** What a turn or a one-shot run does with the steps of its model. */
export interface ModelLoop {
  /** What the model is told at first. */
  readonly entries: readonly TimelineEntry[];
  readonly tools: readonly OfferedTool[];
  readonly signal: AbortSignal;
  /** Hears the reply as it is made; one that has to match a schema is heard when it does. */
  readonly onText?: ((delta: string) => Promise<void>) | undefined;
  /** Counts a step. */
  answered(answer: ModelStep): void;
  /** Takes the calls of a step. Answers what the model is told of them, or undefined where the loop ends here. */
  called(answer: ModelStep): Promise<readonly TimelineEntry[] | undefined>;
}

/**
 * Asks the model step by step until it answers without calling a tool, which after `maxSteps` it has to. An answer that
 * does not match the output schema is asked for once more. Undefined where `called` ended it.
 * @throws {ModelFailure}
 */
export async function modelReply(ctx: Context, assistant: Assistant, loop: ModelLoop): Promise<string | undefined> {
  const { outputSchema, maxSteps } = assistant.deployment.config;
  const entries = [...loop.entries];
  const ask = async (question: Pick<StepRequest, 'tools' | 'refused'>) => {
    const onText = outputSchema ? undefined : loop.onText;
    const answer = await askModel(ctx, assistant, { ...question, entries, signal: loop.signal, onText });
    loop.answered(answer);
    return answer;
  };
  for (let step = 0; ; step += 1) {
    const mayCall = step < maxSteps;
    const answer = await ask({ tools: mayCall ? loop.tools : [] });
    if (!mayCall || answer.calls.length === 0) {
      if (!outputSchema) return answer.text;
      const text = await conforming(assistant, answer, ask);
      await loop.onText?.(text);
      return text;
    }
    const told = await loop.called(answer);
    if (!told) return undefined;
    entries.push(...told);
  }
}

type Ask = (question: Pick<StepRequest, 'tools' | 'refused'>) => Promise<ModelStep>;

/** The text of an answer that matches the output schema: this one, or that of one more attempt. */
async function conforming({ deployment: { config } }: Assistant, answer: ModelStep, ask: Ask): Promise<string> {
  const refused = refusedReply(config, answer.text);
  if (!refused) return answer.text;
  const second = await ask({ tools: [], refused });
  if (!refusedReply(config, second.text)) return second.text;
  throw new ModelFailure('failed', 'The model did not answer as the output schema asks.');
}
