import {
  APICallError,
  type LanguageModelV3CallOptions,
  type LanguageModelV3FinishReason,
  type LanguageModelV3StreamPart,
} from '@ai-sdk/provider';
import type { ModelCall, ModelRequest, ModelStep, TextListener } from '../domain/agent/model-port.ts';
import type { GuardedFetcher } from '../outbound/guarded-fetch.ts';
import { IncompleteReplyError } from './error-message.ts';
import { prepareFiles, withoutFiles } from './prepare-files.ts';
import { providerFailure } from './provider-failure.ts';
import { promptOf } from './provider-prompt.ts';
import { withRetries } from './provider-retries.ts';
import { callOf, providerSchema, providerTools } from './provider-tools.ts';
import type { ProviderModel } from './providers.ts';
import { runStep, type StepRun } from './step-run.ts';

/** A provider's model, and the client that downloads files which the provider does not download. */
type Target = ProviderModel & { readonly fetcher: GuardedFetcher };

/**
 * Runs one step of a provider's model, through the providers' own interface: the AI SDK's functions above it take most
 * of a step's CPU time. It always streams, so that the text before an error is kept.
 */
export function providerStep(target: Target, request: ModelRequest, onText?: TextListener): Promise<ModelStep> {
  return runStep(request, onText, async (run) => {
    const means = { rules: target.files, fetcher: target.fetcher, signal: run.signal };
    const messages = await prepareFiles(request, means);
    const ask = (sent: ModelRequest['messages']) => answer(target, { ...request, messages: sent }, run);
    const bare = withoutFiles(messages);
    // A rejected file, such as an unreachable address, must not end every later turn of the conversation. So the step
    // is repeated without files.
    return ask(messages).catch((fault: unknown) => {
      if (bare && isRefused(fault)) return ask(bare);
      throw fault;
    });
  });
}

/** The provider rejected the request and has not replied. */
function isRefused(fault: unknown): boolean {
  return APICallError.isInstance(fault) && [400, 413, 415, 422].includes(fault.statusCode ?? 0);
}

async function answer(target: Target, request: ModelRequest, run: StepRun): Promise<Omit<ModelStep, 'text'>> {
  const options = optionsOf(target, request, run.signal);
  const report = (fault: unknown): never => {
    if (!run.signal.aborted) request.onFailure?.(providerFailure(fault, target.apiKey));
    throw fault;
  };
  const { stream } = await withRetries(run.signal, () => target.model.doStream(options).then(undefined, report));
  return readAnswer(stream, request, run).catch(report);
}

function optionsOf(
  { settings, takesSchema }: Target,
  request: ModelRequest,
  signal: AbortSignal,
): LanguageModelV3CallOptions {
  const { outputSchema, tools } = request;
  return {
    ...settings,
    prompt: promptOf(request),
    abortSignal: signal,
    // Providers reject an empty list of tools.
    ...(tools.length > 0 && { tools: providerTools(tools), toolChoice: { type: 'auto' } }),
    ...(takesSchema && outputSchema && heldTo(outputSchema)),
  };
}

/** Not strict: strict providers reject schemas with optional fields. The engine checks the reply anyway. */
function heldTo(schema: NonNullable<ModelRequest['outputSchema']>) {
  return {
    responseFormat: { type: 'json' as const, schema: providerSchema(schema) },
    providerOptions: { openai: { strictJsonSchema: false } },
  };
}

async function readAnswer(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  { tools }: ModelRequest,
  run: StepRun,
): Promise<Omit<ModelStep, 'text'>> {
  const calls: ModelCall[] = [];
  for await (const part of stream) {
    if (part.type === 'text-delta') {
      if (part.delta !== '') await run.say(part.delta);
    } else if (part.type === 'tool-call') calls.push(await callOf(part, tools));
    else if (part.type === 'error') throw part.error;
    // If the connection closes early, the adapters also send a finish part, but without the provider's reason.
    else if (part.type === 'finish' && part.finishReason.raw !== undefined) {
      const { inputTokens, outputTokens } = part.usage;
      const [input, output] = [inputTokens.total ?? 0, outputTokens.total ?? 0];
      return { finishReason: finishReasonOf(part.finishReason), calls, inputTokens: input, outputTokens: output };
    }
  }
  throw new IncompleteReplyError();
}

function finishReasonOf({ unified }: LanguageModelV3FinishReason): ModelStep['finishReason'] {
  if (unified === 'content-filter') return 'content_filter';
  return unified === 'stop' || unified === 'length' ? unified : null;
}
