import { APICallError } from '@ai-sdk/provider';
import { keptFor } from '../cache/kept-for.ts';
import { LIMITS } from '../contract/limits.ts';
import { type ModelProvider, providerModelOf } from '../contract/model-name.ts';
import type { ModelOffer } from '../domain/agent/model-port.ts';
import { stepFault } from './error-message.ts';
import { readDocument } from './provider-fetch.ts';
import { type ConfiguredProvider, configuredProvider, type ModelSettings } from './providers.ts';
import { unreadable } from './unreadable.ts';

/** How long an answer is kept. It also bounds how often the members of all workspaces together cause a request. */
const KEPT_MS = 60_000;

const TIMEOUT_MS = 10_000;

/** The version of the Messages API whose list is read: https://docs.anthropic.com/en/api/models-list */
const ANTHROPIC_HEADERS = { 'anthropic-version': '2023-06-01' };

/** Models of OpenAI that no conversation can use. Its list contains all kinds. */
const NOT_FOR_CHAT =
  /^(text-embedding|text-moderation|omni-moderation|whisper|tts|dall-e|gpt-image|chatgpt-image|sora|babbage|davinci)\b/;

/** Fine-tuned models: their names contain that of the operator's organisation. */
const FINE_TUNED = /^ft[:-]/;

/** A server that has no list of models. */
const NO_LIST = [404, 405, 501];

/**
 * Asks a provider for its models, at most once per minute. Undefined: it is not configured. A failure is a part of the
 * answer.
 */
export function modelOffers(settings: ModelSettings): (provider: ModelProvider) => Promise<ModelOffer | undefined> {
  const asking = (provider: ModelProvider) => {
    const own = configuredProvider(settings, provider);
    return keptFor(
      KEPT_MS,
      () => performance.now(),
      async () => own && offerOf(provider, own),
    );
  };
  const offers: Record<ModelProvider, ReturnType<typeof asking>> = {
    openai: asking('openai'),
    anthropic: asking('anthropic'),
    'openai-compatible': asking('openai-compatible'),
  };
  return (provider) => offers[provider]();
}

async function offerOf(provider: ModelProvider, settings: ConfiguredProvider): Promise<ModelOffer> {
  const askedAt = new Date();
  try {
    return { models: modelsIn(provider, await listOf(provider, settings)), failure: null, askedAt };
  } catch (fault) {
    if (APICallError.isInstance(fault) && NO_LIST.includes(fault.statusCode ?? 0)) {
      return { models: [], failure: null, askedAt };
    }
    return { models: [], failure: stepFault(fault).reason ?? 'provider_failed', askedAt };
  }
}

function listOf(provider: ModelProvider, { baseUrl, apiKey }: ConfiguredProvider): Promise<unknown> {
  if (provider === 'anthropic') {
    const headers = { ...ANTHROPIC_HEADERS, ...(apiKey && { 'x-api-key': apiKey }) };
    return readDocument(baseUrl, '/models', { headers, query: { limit: '1000' }, timeoutMs: TIMEOUT_MS });
  }
  const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
  return readDocument(baseUrl, '/models', { apiKey, headers, timeoutMs: TIMEOUT_MS });
}

/** Most servers send an object with `data`. Some send the list alone, and `null` instead of an empty one. */
function modelsIn(provider: ModelProvider, document: unknown): string[] {
  const list = Array.isArray(document) ? document : (document as { readonly data?: unknown } | null)?.data;
  if (list === null) return [];
  if (!Array.isArray(list)) throw unreadable('The list of models is not a list.');
  const names = list.flatMap((entry: { readonly id?: unknown } | null) => {
    const id = entry?.id;
    return typeof id === 'string' && isOffered(provider, id) ? [`${provider}:${id}`] : [];
  });
  const known = names.filter((name) => providerModelOf(name) !== undefined);
  return [...new Set(known)].sort().slice(0, LIMITS.offeredModels);
}

function isOffered(provider: ModelProvider, id: string): boolean {
  return !FINE_TUNED.test(id) && !(provider === 'openai' && NOT_FOR_CHAT.test(id));
}
