import type { Attributes, Meter } from '@opentelemetry/api';
import type { Usage } from '../contract/token-usage.ts';
import { errorType } from './spans.ts';

/** The bounds that the semantic conventions for generative AI name. */
const TOKEN_BOUNDS = Array.from({ length: 14 }, (_, exponent) => 4 ** exponent);
const SECOND_BOUNDS = Array.from({ length: 14 }, (_, exponent) => 0.01 * 2 ** exponent);

/** Runs a model step and measures it. `request` names its operation, provider and model. Passes on its result or error. */
export type MeasureStep = <T extends Usage>(request: Attributes, work: () => Promise<T>) => Promise<T>;

/**
 * Counts time and tokens of model steps as `gen_ai.client.operation.duration` and `gen_ai.client.token.usage`, and the
 * tokens of caches as `parley.model.cache.tokens`.
 */
export function modelMetrics(meter: Meter): MeasureStep {
  const durations = meter.createHistogram('gen_ai.client.operation.duration', {
    description: 'Duration of a model step.',
    unit: 's',
    advice: { explicitBucketBoundaries: SECOND_BOUNDS },
  });
  const tokens = meter.createHistogram('gen_ai.client.token.usage', {
    description: 'Input and output tokens of a model step.',
    unit: '{token}',
    advice: { explicitBucketBoundaries: TOKEN_BOUNDS },
  });
  // A type of its own in the histogram would count these tokens twice: they are parts of the input.
  const cached = meter.createCounter('parley.model.cache.tokens', {
    description: 'Input tokens that providers read from their cache or wrote to it.',
    unit: '{token}',
  });
  return async (request, work) => {
    const startedMs = performance.now();
    const end = (failure: Attributes) =>
      durations.record((performance.now() - startedMs) / 1_000, { ...request, ...failure });
    try {
      const step = await work();
      end({});
      const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens } = step;
      // The provider has not reported them, and the conventions forbid a guess.
      if (inputTokens + outputTokens > 0) {
        tokens.record(inputTokens, { ...request, 'gen_ai.token.type': 'input' });
        tokens.record(outputTokens, { ...request, 'gen_ai.token.type': 'output' });
        cached.add(cachedInputTokens, { ...request, 'parley.cache.access': 'read' });
        cached.add(cacheWriteTokens, { ...request, 'parley.cache.access': 'write' });
      }
      return step;
    } catch (error) {
      end({ 'error.type': errorType(error) });
      throw error;
    }
  };
}
