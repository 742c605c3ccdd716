import { AISDKError, APICallError, type LanguageModelV3CallOptions } from '@ai-sdk/provider';
import { Pace } from '../bounds/pace.ts';
import { MODEL_PARAMETERS } from '../contract/model-parameters.ts';
import { addUsage } from '../contract/token-usage.ts';
import type { ModelRequest, ModelStep, TextListener } from '../domain/agent/model-port.ts';
import type { GuardedFetcher } from '../outbound/guarded-fetch.ts';
import { isContextOverflow } from './context-overflow.ts';
import { IncompleteReplyError } from './error-message.ts';
import { without } from './optional-features.ts';
import { placeResultFiles } from './place-files.ts';
import { prepareFiles, withoutFiles } from './prepare-files.ts';
import { providerFailure } from './provider-failure.ts';
import { openReply } from './provider-fetch.ts';
import { promptOf } from './provider-prompt.ts';
import { ReasoningParts } from './provider-reasoning.ts';
import { withRetries } from './provider-retries.ts';
import { callOf, providerTools } from './provider-tools.ts';
import type { ProviderModel } from './providers.ts';
import { rejectionOf } from './rejection.ts';
import { ProviderReply, type ReplyPart } from './reply/provider-reply.ts';
import { runStep, type StepRun } from './step-run.ts';
import { reducedHistory } from './strict-messages.ts';
import { providerSchema } from './tool-schema.ts';

/** A provider's model, and the client that downloads files which the provider does not download. */
type Target = ProviderModel & { readonly fetcher: GuardedFetcher };

/**
 * Runs one step of a provider's model. The adapter of the provider makes the request, and the service reads the reply.
 * It always streams, so that watchers can join later and the text before an error is kept.
 */
export function providerStep(target: Target, request: ModelRequest, onText?: TextListener): Promise<ModelStep> {
  return runStep(request, onText, async (run) => {
    const means = { rules: target.files, fetcher: target.fetcher, signal: run.signal };
    const messages = placeResultFiles(await prepareFiles(request, means), target.files);
    const ask = (sent: ModelRequest['messages']) => answerWithFeatures(target, { ...request, messages: sent }, run);
    // Something that the provider rejects, such as an unreachable file or a long history, must not end every later turn
    // of the conversation.
    const bare = withoutFiles(messages);
    const reduced = reducedHistory(bare ?? messages);
    const fallbacks = [...(bare ? [bare] : []), ...(reduced ? [reduced] : [])];
    const mayRepeat = (fault: unknown) => isRefused(fault) && !(request.reportsOverflow && isTooLong(fault));
    const askReduced = async (fallback: ModelRequest['messages']) => ({ ...(await ask(fallback)), isReduced: true });
    return fallbacks.reduce<ReturnType<typeof ask>>(
      (reply, fallback) =>
        reply.catch((fault: unknown) => (mayRepeat(fault) ? askReduced(fallback) : Promise.reject(fault))),
      ask(messages),
    );
  });
}

/** The provider rejected the request and has not replied. */
function isRefused(fault: unknown): boolean {
  return APICallError.isInstance(fault) && [400, 413, 415, 422].includes(fault.statusCode ?? 0);
}

function isTooLong(fault: unknown): boolean {
  return APICallError.isInstance(fault) && isContextOverflow(fault.statusCode, fault.responseBody);
}

/** Sends a request without the optional features that the server refuses or ignores. */
async function answerWithFeatures(
  target: Target,
  request: ModelRequest,
  run: StepRun,
): Promise<Omit<ModelStep, 'text'>> {
  const { features } = target;
  const reply = await answerOrLearn(target, features.known(request), run);
  const sent = features.known(request);
  const isIgnored = features.usedBy(sent).includes('toolChoice') && reply.calls.length > 0;
  if (!isIgnored || run.text.trim() !== '') return reply;
  // Without tools, the model has nothing to call, and replies.
  features.learn(['toolChoice'], false);
  const second = await answer(target, without(sent, ['toolChoice']), run);
  return { ...second, ...addUsage(reply, second) };
}

/** Repeats a refused request once without the features that can be the reason. */
async function answerOrLearn(target: Target, request: ModelRequest, run: StepRun): Promise<Omit<ModelStep, 'text'>> {
  const { features } = target;
  const doubted = features.doubtedIn(request);
  try {
    const reply = await answer(target, request, run);
    features.learn(doubted, true);
    return reply;
  } catch (fault) {
    if (doubted.length === 0 || !canBeFeature(fault)) throw fault;
    const reply = await answer(target, without(request, doubted), run);
    features.learn(doubted, false);
    return reply;
  }
}

function canBeFeature(fault: unknown): boolean {
  return APICallError.isInstance(fault) && [400, 422].includes(fault.statusCode ?? 0) && !isTooLong(fault);
}

async function answer(target: Target, request: ModelRequest, run: StepRun): Promise<Omit<ModelStep, 'text'>> {
  const options = optionsOf(target, request, run.signal);
  const parameters = parametersFor(target, request);
  const report = (fault: unknown): never => {
    if (!run.signal.aborted) request.onFailure?.(providerFailure(fault, target.apiKey));
    throw fault;
  };
  const begun = await withRetries(run.signal, () => {
    run.isAsked = true;
    return begin(target, options, { parameters, run }).catch(report);
  });
  return readReply(begun, request, run).catch(report);
}

interface BegunReply {
  readonly reply: ProviderReply;
  readonly first: readonly ReplyPart[] | undefined;
}

interface Beginning {
  readonly parameters: ReturnType<typeof parametersFor>;
  readonly run: StepRun;
}

/** Waits for the first part of the reply: until then, the request can be repeated. */
async function begin(
  { model, startReader }: Target,
  options: LanguageModelV3CallOptions,
  { parameters, run }: Beginning,
): Promise<BegunReply> {
  const stream = await openReply(model, options, parameters).catch((fault: unknown) => {
    run.isAsked = run.signal.aborted;
    throw fault;
  });
  const reply = new ProviderReply(stream, startReader());
  const first = await reply.next().catch((thrown: unknown) => {
    run.wrote(reply.callsLength);
    // An error instead of a reply, or no reply at all. If the connection broke, the model had begun.
    const isRefused = !(thrown instanceof Error) || AISDKError.isInstance(thrown);
    if (isRefused && reply.callsLength === 0) run.isAsked = run.signal.aborted;
    throw thrown instanceof Error ? thrown : rejectionOf(thrown);
  });
  return { reply, first };
}

/** The parameters of the workflow that the provider has. */
function parametersFor({ provider }: Target, { modelParameters = {}, tools }: ModelRequest) {
  const entries = Object.entries(modelParameters).filter(([name]) => Object.hasOwn(MODEL_PARAMETERS[provider], name));
  // OpenAI refuses it without tools.
  return Object.fromEntries(entries.filter(([name]) => name !== 'parallel_tool_calls' || tools.length > 0));
}

function optionsOf(
  { unknownLimit, takesSchema, optionsFor }: Target,
  request: ModelRequest,
  signal: AbortSignal,
): LanguageModelV3CallOptions {
  const { outputSchema, tools, toolChoice = 'auto' } = request;
  const { maxReplyTokens = unknownLimit, temperature, stopSequences = [] } = request;
  return {
    ...(maxReplyTokens !== undefined && { maxOutputTokens: maxReplyTokens }),
    ...(temperature !== undefined && { temperature }),
    // Providers reject an empty list.
    ...(stopSequences.length > 0 && { stopSequences: [...stopSequences] }),
    prompt: promptOf(request),
    abortSignal: signal,
    // Providers reject an empty list of tools.
    ...(tools.length > 0 && { tools: providerTools(tools), toolChoice: { type: toolChoice } }),
    ...(takesSchema && outputSchema && { responseFormat: { type: 'json', schema: providerSchema(outputSchema) } }),
    providerOptions: optionsFor(request),
  };
}

async function readReply(begun: BegunReply, { tools }: ModelRequest, run: StepRun): Promise<Omit<ModelStep, 'text'>> {
  const { reply } = begun;
  try {
    return await readParts(begun, tools, run);
  } finally {
    run.wrote(reply.callsLength);
  }
}

async function readParts(
  { reply, first }: BegunReply,
  tools: ModelRequest['tools'],
  run: StepRun,
): Promise<Omit<ModelStep, 'text'>> {
  const reasoning = new ReasoningParts();
  for (let parts = first; parts; parts = await reply.next()) {
    const pace = new Pace();
    for (const part of parts) {
      await pace.pause();
      if (part.type === 'text') {
        await run.say(part.text);
      } else {
        reasoning.add(part);
        await run.think(part.text);
      }
    }
  }
  const end = reply.end();
  if (!end) throw new IncompleteReplyError();
  const calls = await Promise.all(end.calls.map((call) => callOf(call, tools)));
  return { ...end, calls, reasoning: reasoning.complete() };
}
