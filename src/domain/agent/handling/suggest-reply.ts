import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { storableText } from '../../../contract/storable-text.ts';
import { firstCharacters } from '../../../contract/text-encoding.ts';
import { onlyUsage, type Usage } from '../../../contract/token-usage.ts';
import type { Conversation } from '../../../db/generated/client.ts';
import { withoutClaim } from '../../access/caller-context.ts';
import { recordEffect, requireClaim } from '../../access/claimed-effect.ts';
import { countRequest, RATE_LIMITS } from '../../access/rate-limits.ts';
import { Spending } from '../../budgets/spending.ts';
import { placeOfCaller } from '../../budgets/spending-place.ts';
import type { Context } from '../../context.ts';
import { deploymentFor } from '../../conversations/conversation-version.ts';
import { findConversation } from '../../conversations/reads.ts';
import { recentTimeline } from '../../conversations/timeline.ts';
import { handlingConflict } from '../../handling/handling-conflict.ts';
import { type HandlingFacts, personIdOf } from '../../handling/handling-state.ts';
import { historyLimitOf, type WorkflowConfig } from '../../workflows/config.ts';
import { publishedDeployment } from '../../workflows/deployments.ts';
import { conversationCompleted } from '../accept/judge-resume.ts';
import { ModelError } from '../model-port.ts';
import { runModelStep } from '../run/model-step.ts';
import { storeSideCost } from '../run/store-side-cost.ts';
import { loggableError, modelServiceError } from '../settle/failed-turn.ts';
import type { Assistant } from '../turn.ts';
import { requireNoTurn } from './member-message.ts';
import { suggestionPrompt } from './suggestion-prompt.ts';

/** What a suggestion is written from. */
interface Suggestion extends Omit<Assistant, 'deployment'> {
  readonly deployment: Awaited<ReturnType<typeof publishedDeployment>>;
  readonly conversationId: string;
}

/**
 * Lets the model suggest what the person who answers could write next. Only its usage is stored. The model gets the
 * conversation as a turn does, and no tools.
 * @param gone aborted when nobody waits for the suggestion any more
 * @throws {ServiceError} not_found, conversation_completed, run_in_progress, rate_limited, budget_reached, model_error, model_timeout;
 * handling_conflict while the assistant answers
 */
export async function suggestReply(ctx: Context, conversationId: string, gone: AbortSignal): Promise<string> {
  ctx.services.process.runs.requireOpen();
  const suggestion = await accept(ctx, conversationId);
  await countSuggestion(ctx);
  await requireClaim(ctx);
  // So that the response that the key keeps is deleted with the conversation.
  await recordEffect(ctx.services.stores.prisma, ctx.request.claim, { conversationId });
  return ctx.services.process.runs.workUnleased((stopped) =>
    suggest(ctx, suggestion, AbortSignal.any([stopped, gone])),
  );
}

async function accept(ctx: Context, conversationId: string): Promise<Suggestion> {
  const select = { id: true, deploymentId: true, variables: true, status: true, completedAt: true };
  const handled = { handling: true, handlingSince: true, handlingFacts: true };
  const conversation = await findConversation(ctx, { conversationId }, { select: { ...select, ...handled } });
  if (conversation.status === 'completed') throw conversationCompleted(conversation);
  if (conversation.handling === 'assistant') throw notTaken(conversation);
  await requireNoTurn(ctx.db, conversationId);
  const published = await publishedDeployment(ctx, conversation.deploymentId).catch(refuseUnpublished);
  const deployment = await deploymentFor(ctx, published, conversationId);
  const model = deployment.config.model ?? ctx.services.settings.defaultModel;
  const variables = conversation.variables as Suggestion['variables'];
  return { deployment: { ...deployment, config: forSuggestion(deployment.config) }, model, variables, conversationId };
}

function notTaken({ handling, handlingSince, handlingFacts }: Conversation): ServiceError {
  const facts = handlingFacts as unknown as HandlingFacts | null;
  return handlingConflict(NOT_TAKEN, { handling, since: handlingSince, facts });
}

function refuseUnpublished(error: unknown): never {
  if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
  throw new ServiceError('not_found', NOT_PUBLISHED, { param: ['conversationId'] });
}

const NOT_PUBLISHED =
  'The deployment of the conversation ({param}) is not published, so nothing can suggest a reply. Publish it first.';

const NOT_TAKEN = 'The assistant answers in this conversation. Take it over before you ask for a suggestion.';

/** A suggestion is a text, and short: a person waits for it. */
function forSuggestion({ outputSchema: _unused, ...config }: WorkflowConfig): WorkflowConfig {
  const { maxReplyTokens = LIMITS.suggestedReplyTokens, timeoutSeconds } = config;
  return {
    ...config,
    reasoning: 'off',
    maxReplyTokens: Math.min(maxReplyTokens, LIMITS.suggestedReplyTokens),
    timeoutSeconds: Math.min(timeoutSeconds, LIMITS.suggestedReplySeconds),
  };
}

/** With the time limit, these also bound how many suggestions are written at the same time. */
async function countSuggestion({ caller, environment, services, request }: Context): Promise<void> {
  const { rateLimiter } = services.stores;
  const person = personIdOf(caller) ?? caller.id;
  await countRequest(rateLimiter, RATE_LIMITS.suggestionsOfPerson, person, request.reportLimit);
  await countRequest(rateLimiter, RATE_LIMITS.suggestionsOfEnvironment, environment.id, request.reportLimit);
}

async function suggest(request: Context, suggestion: Suggestion, signal: AbortSignal): Promise<string> {
  // The cost counts even if another process has the key of the request meanwhile.
  const ctx = withoutClaim(request);
  const { deployment, model, conversationId } = suggestion;
  const { process } = ctx.services;
  const startedMs = process.monotonicMs();
  const place = placeOfCaller(ctx, deployment, conversationId);
  const spending = deployment.hasBudgets ? new Spending(ctx, { workId: ctx.newId(), place }) : undefined;
  const history = await recentTimeline(ctx, conversationId, historyLimitOf(deployment.config));
  let usage: Usage | undefined;
  const step = { entries: suggestionPrompt(history), tools: [], isContinued: false, signal };
  const count = (spent: Usage) => {
    usage = onlyUsage(spent);
  };
  try {
    const { text } = await runModelStep(ctx, { ...suggestion, spending }, { ...step, count });
    return suggestionOf(text);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const facts = { request_id: ctx.request.id, conversation_id: conversationId };
    process.log.warn({ ...facts, ...loggableError(error) }, 'a reply could not be suggested');
    throw modelServiceError(error, 'Try again.', { conversation_id: conversationId });
  } finally {
    if (usage) await storeSideCost(ctx, { deployment, conversationId }, { model, usage, spending, startedMs });
    await spending?.settle();
  }
}

function suggestionOf(text: string): string {
  const suggestion = storableText(firstCharacters(text.trim(), LIMITS.suggestedReplyLength));
  if (suggestion === '') throw new ModelError('failed', 'The model suggested nothing.');
  return suggestion;
}
