import { APICallError, type JSONSchema7, jsonSchema, Output, streamText, type TextStreamPart, type ToolSet } from 'ai';
import type { ModelCall, ModelRequest, ModelStep } from '../domain/agent/model-port.ts';
import type { GuardedFetcher } from '../outbound/guarded-fetch.ts';
import { callOf, toolsFor } from './ai-sdk-tools.ts';
import { AnswerCutError } from './fault-message.ts';
import { giveFiles, withoutFiles } from './give-files.ts';
import type { SdkModel } from './providers.ts';
import { runStep, type StepRun, type TextListener } from './step-run.ts';

// Its warnings would go to the console.
globalThis.AI_SDK_LOG_WARNINGS = false;

const MAX_RETRIES = 2;

/** A provider's model, and what downloads files for it that it does not download by itself. */
type Target = SdkModel & { readonly fetcher: GuardedFetcher };

/** One step of a provider's model, through the AI SDK. Always streamed: one path, and text is kept up to a fault. */
export function aiSdkStep(target: Target, request: ModelRequest, onText?: TextListener): Promise<ModelStep> {
  return runStep(request, onText, async (run) => {
    const means = { rules: target.files, fetcher: target.fetcher, signal: run.signal };
    const messages = await giveFiles(request, means);
    const ask = (sent: ModelRequest['messages']) =>
      readAnswer(askModel(target, { ...request, messages: sent }, run.signal), run);
    const bare = withoutFiles(messages);
    // Whatever it dislikes of a file (an address that it cannot reach, a model that sees nothing) must not end every
    // later turn of the conversation as well.
    return ask(messages).catch((fault: unknown) => {
      if (bare && isRefused(fault)) return ask(bare);
      throw fault;
    });
  });
}

/** Refused for what was asked; nothing was answered yet. */
function isRefused(fault: unknown): boolean {
  return APICallError.isInstance(fault) && [400, 413, 415, 422].includes(fault.statusCode ?? 0);
}

function askModel({ model, settings, takesSchema }: Target, request: ModelRequest, signal: AbortSignal) {
  const { fullStream } = streamText({
    model,
    ...settings,
    messages: [...request.messages],
    // The messages are the engine's own; without this the SDK warns of system messages on the console.
    allowSystemInMessages: true,
    maxRetries: MAX_RETRIES,
    abortSignal: signal,
    // The SDK would fetch files from any address by itself. Those that are still addresses are for the provider.
    experimental_download: async (files) => files.map(() => null),
    experimental_include: { requestBody: false },
    // Errors come as parts of the stream as well; by default the SDK also prints them.
    onError: () => {},
    // Providers refuse an empty system prompt and an empty list of tools.
    ...(request.instructions ? { system: request.instructions } : {}),
    ...(takesSchema && request.outputSchema ? heldTo(request.outputSchema) : {}),
    ...(request.tools.length > 0 ? { tools: toolsFor(request.tools) } : {}),
  });
  return fullStream;
}

/** Not strictly: a strict provider refuses schemas with optional fields. The engine checks the answer anyway. */
function heldTo(schema: NonNullable<ModelRequest['outputSchema']>) {
  return {
    output: Output.object({ schema: jsonSchema(schema as JSONSchema7) }),
    providerOptions: { openai: { strictJsonSchema: false } },
  };
}

async function readAnswer(
  stream: AsyncIterable<TextStreamPart<ToolSet>>,
  run: StepRun,
): Promise<Omit<ModelStep, 'text'>> {
  const calls: ModelCall[] = [];
  for await (const part of stream) {
    if (part.type === 'text-delta') await run.say(part.text);
    else if (part.type === 'tool-call') calls.push(callOf(part));
    else if (part.type === 'error') throw part.error;
    // Where a connection is closed in the middle, the SDK finishes as if that were the end, but without a reason.
    else if (part.type === 'finish' && part.rawFinishReason !== undefined) {
      const { inputTokens = 0, outputTokens = 0 } = part.totalUsage;
      return { calls, inputTokens, outputTokens };
    }
  }
  throw new AnswerCutError();
}
