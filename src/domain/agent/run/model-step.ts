import { fileIdsIn } from '../../../contract/file-uri.ts';
import { isReadFile } from '../../actions/read-file.ts';
import type { Context } from '../../context.ts';
import type { TimelineEntry } from '../../conversations/timeline.ts';
import { readForModel } from '../../files/read-for-model.ts';
import type { ModelRequest, ModelStep, TextListener } from '../model-port.ts';
import { askModel, type StepAccount, type StepTracer } from '../prompt/ask-model.ts';
import { compileInstructions, compilePrompt } from '../prompt/compile-prompt.ts';
import type { StepMemories } from '../prompt/step-memory.ts';
import { contextTokensOf, estimatedTokens } from '../prompt/tokens.ts';
import { type InvalidReply, repairRequest } from '../structured-reply.ts';
import type { OfferedTool } from '../tools/offered-tool.ts';
import type { Assistant } from '../turn.ts';

/** The input of one model step. */
export interface StepRequest {
  readonly entries: readonly TimelineEntry[];
  readonly tools: readonly OfferedTool[];
  readonly toolChoice?: ModelRequest['toolChoice'];
  /** Whether the next message continues the prompt. */
  readonly isContinued: boolean;
  readonly signal: AbortSignal;
  /** A reply that did not match the output schema. The model is asked to correct it. */
  readonly invalid?: InvalidReply | undefined;
  /** Receives the text in pieces. The model waits for the promise that it returns, if any. */
  readonly onText?: TextListener | undefined;
  readonly isWatched?: ModelRequest['isWatched'];
  /** What the provider gets back of earlier steps. */
  readonly memories?: StepMemories;
  readonly onReasoning?: ModelRequest['onReasoning'];
  readonly trace?: StepTracer;
  readonly count: StepAccount['count'];
  readonly reportsOverflow?: ModelRequest['reportsOverflow'];
}

/** Runs one model step of a turn, a one-shot run or a test. @throws {ModelError} */
export function runModelStep(
  ctx: Context,
  { deployment: { config }, model, variables, spending }: Assistant,
  step: StepRequest,
): Promise<ModelStep> {
  const { entries, tools, toolChoice, isContinued, signal, invalid, memories } = step;
  const { isWatched, onText, onReasoning, trace, count, reportsOverflow } = step;
  const instructions = compileInstructions(config, variables);
  const taken = estimatedTokens(instructions);
  const context = config.context === 'compact' ? { tokens: contextTokensOf(config, model), taken } : undefined;
  const [first] = entries;
  // Without a summary that names a file, there is nothing to open.
  const namesFiles = first?.kind === 'summary' && fileIdsIn(first.text).length > 0;
  const prompt = compilePrompt(entries, { memories, context });
  const request = {
    model,
    instructions,
    messages: [...prompt, ...(invalid ? repairRequest(invalid) : [])],
    tools: namesFiles ? tools : tools.filter((tool) => !isReadFile(tool)),
    toolChoice,
    // Without tools, a run without a conversation has one step: nothing would read a cache.
    cachesPrompt: isContinued || tools.length > 0,
    ...(config.outputSchema && { outputSchema: config.outputSchema }),
    ...(reportsOverflow && { reportsOverflow }),
    reasoningEffort: config.reasoningEffort,
    maxReplyTokens: config.maxReplyTokens,
    temperature: config.temperature,
    stopSequences: config.stopSequences,
    modelParameters: config.modelParameters,
    readStoredFile: (uri: URL, mostBytes: number) => readForModel(ctx, uri, mostBytes),
    timeoutMs: config.timeoutSeconds * 1_000,
    signal,
    isWatched,
    ...(config.reasoning === 'shown' && { onReasoning }),
  };
  return askModel(ctx, request, { trace, spending, count }, onText);
}
