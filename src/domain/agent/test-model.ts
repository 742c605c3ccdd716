import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { explainFailure, type RunFailure } from '../../contract/run-failures.ts';
import type { FinishReason } from '../../contract/statuses.ts';
import { storableText } from '../../contract/storable-text.ts';
import { firstCharacters } from '../../contract/text-encoding.ts';
import { addUsage, NO_USAGE, type Usage } from '../../contract/token-usage.ts';
import { rulesOf } from '../../shapes/field.ts';
import { TEST_MODEL } from '../../shapes/workflows.ts';
import { withoutClaim } from '../access/caller-context.ts';
import { requireClaim } from '../access/claimed-effect.ts';
import { countRequest, RATE_LIMITS } from '../access/rate-limits.ts';
import { Spending } from '../budgets/spending.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import { elapsedMs } from '../telemetry.ts';
import { ModelError, type ModelStep, type ProviderFailure } from './model-port.ts';
import { askModel } from './prompt/ask-model.ts';
import { modelServiceError } from './settle/failed-turn.ts';

/** The same for every model. The answer is short. */
const QUESTION = 'Reply with one short greeting.';

/** What a model answered, or why it did not. */
export interface ModelTest extends Usage {
  readonly model: string;
  /** Null: it failed. */
  readonly answer: string | null;
  readonly finishReason: FinishReason | null;
  readonly responseTimeMs: number;
  /** Null: it answered. */
  readonly failure: RunFailure | null;
  /** The attempts that failed, in order. */
  readonly failedAttempts: readonly ProviderFailure[];
}

const RULES = z.object(rulesOf(TEST_MODEL.fields));

/**
 * Asks a model for a greeting. Nothing is stored, but its cost counts in the budgets. A failure is a result, so that its
 * caller can show what the provider answered.
 * @param gone aborted when nobody waits for the answer any more
 * @throws {ServiceError} invalid_request, rate_limited, budget_reached, unavailable
 */
export async function testModel(request: Context, input: unknown, gone: AbortSignal): Promise<ModelTest> {
  const { runs } = request.services.process;
  runs.requireOpen();
  const { model } = parseInput(RULES, input);
  await countTest(request);
  await requireClaim(request);
  return runs.workUnleased((stopped) => ask(request, model, AbortSignal.any([stopped, gone])));
}

async function countTest({ environment, services, request }: Context): Promise<void> {
  const { rateLimiter } = services.stores;
  await countRequest(rateLimiter, RATE_LIMITS.modelTests, environment.id, request.reportLimit);
}

async function ask(request: Context, model: string, signal: AbortSignal): Promise<ModelTest> {
  // The cost counts even if another process has the key of the request meanwhile.
  const ctx = withoutClaim(request);
  const { process } = ctx.services;
  const startedMs = process.monotonicMs();
  const spending = new Spending(ctx, { workId: ctx.newId(), place: PLACE });
  let usage = NO_USAGE;
  let failedAttempts: readonly ProviderFailure[] = [];
  const prompt = {
    ...({ model, instructions: '', messages: [{ role: 'user', content: QUESTION }], tools: [] } as const),
    ...{ maxReplyTokens: LIMITS.modelTestTokens, timeoutMs: LIMITS.modelTestSeconds * 1_000, signal },
  };
  const account = {
    spending,
    count: (spent: Usage) => {
      usage = addUsage(usage, spent);
    },
    trace: ({ failures }: { readonly failures: readonly ProviderFailure[] }) => {
      failedAttempts = failures;
    },
  };
  try {
    const result = await askModel(ctx, prompt, account).then(answerOf, (error: unknown) => failureOf(error, model));
    return { model, ...usage, responseTimeMs: elapsedMs(process, startedMs), failedAttempts, ...result };
  } finally {
    await spending.settle();
  }
}

/** It belongs to no deployment and to no end user. */
const PLACE = {
  ...{ deploymentId: null, conversationId: null, endUser: null, runId: null },
  ...{ isVisitor: false, defaults: [] },
};

type Result = Pick<ModelTest, 'answer' | 'finishReason' | 'failure'>;

function answerOf({ text, finishReason }: ModelStep): Result {
  const answer = storableText(firstCharacters(text.trim(), LIMITS.modelTestLength));
  return { answer, finishReason, failure: null };
}

function failureOf(error: unknown, model: string): Result {
  if (!(error instanceof ModelError)) throw error;
  if (error.kind === 'aborted') throw modelServiceError(error, 'Try again.', {});
  const reason = error.reason ?? (error.kind === 'timeout' ? 'model_timeout' : 'model_error');
  return { answer: null, finishReason: null, failure: explainFailure(reason, model) };
}
