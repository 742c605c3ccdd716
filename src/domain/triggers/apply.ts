import type { z } from 'zod';
import type { MessageContent } from '../../contract/content.ts';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Trigger } from '../../db/generated/client.ts';
import { variableText } from '../../shapes/variables.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import type { PublishedDeployment } from '../workflows/deployments.ts';
import { triggerNotFound } from './reads.ts';

/** The input of a first message, a one-shot run, or a later message. */
export interface MessageInput {
  readonly content?: MessageContent | undefined;
  readonly variables?: Readonly<Record<string, string>> | null | undefined;
  readonly triggerId?: string | null | undefined;
  readonly conversationId?: string | null | undefined;
}

/** The input after the trigger has supplied the missing parts. */
export interface AppliedTrigger {
  readonly content: MessageContent;
  readonly variables: Readonly<Record<string, string>>;
  readonly triggerId: string | null;
}

/** The rules of a message, and of a first message whose content a trigger supplies. */
export interface MessageRules<Whole, WithoutContent> {
  readonly whole: Whole;
  readonly withoutContent: WithoutContent;
}

/**
 * Validates a message. A trigger supplies the content of a first message without any; an empty content counts as missing.
 * @throws {ServiceError} invalid_request
 */
export function parseMessage<Whole extends z.ZodType, WithoutContent extends z.ZodType>(
  { whole, withoutContent }: MessageRules<Whole, WithoutContent>,
  input: Readonly<Record<string, unknown>>,
): z.output<Whole> | z.output<WithoutContent> {
  const { content, triggerId, conversationId } = input;
  const isStart = typeof triggerId === 'string' && conversationId == null;
  const isEmpty = content == null || (Array.isArray(content) && content.length === 0);
  return parseInput(isStart && isEmpty ? withoutContent : whole, input);
}

/**
 * Validates the trigger and fills in what the caller left out: the content as a whole, variables by name. The acceptance of the start decides whether the trigger is still unused.
 * @throws {ServiceError} trigger_required, not_found, trigger_conversation_mismatch, trigger_expired,
 * trigger_already_used, or invalid_request if there are too many variables in total
 */
export async function applyTrigger(
  ctx: Context,
  deployment: PublishedDeployment,
  input: MessageInput,
): Promise<AppliedTrigger> {
  const { content = [], variables, triggerId, conversationId } = input;
  if (!triggerId) {
    if (deployment.triggerRequired && !conversationId) throw triggerRequired();
    return { content, variables: variables ?? {}, triggerId: null };
  }
  const trigger = await usableTrigger(ctx, { triggerId, deploymentId: deployment.id, conversationId });
  if (conversationId) return { content, variables: {}, triggerId };
  const stored = Object.entries((trigger.variables ?? {}) as Readonly<Record<string, unknown>>);
  const texts = Object.fromEntries(stored.map(([name, value]) => [name, variableText(value)]));
  return {
    // Checked when the trigger was created.
    content: input.content ?? (trigger.content as unknown as MessageContent),
    variables: bounded({ ...texts, ...variables }),
    triggerId,
  };
}

interface TriggerUse {
  readonly triggerId: string;
  readonly deploymentId: string;
  readonly conversationId: string | null | undefined;
}

/** Finds the trigger if it can start something, or if it has started the conversation of the request. */
async function usableTrigger(ctx: Context, { triggerId, deploymentId, conversationId }: TriggerUse): Promise<Trigger> {
  const trigger = await ctx.db.trigger.findFirst({ where: { id: triggerId, deploymentId } });
  if (!trigger) throw triggerNotFound();
  if (conversationId && trigger.conversationId !== conversationId) throw mismatch();
  if (trigger.expiresAt && trigger.expiresAt <= ctx.now()) throw triggerExpired(trigger);
  if (!conversationId && trigger.conversationId) throw triggerUsed(trigger.conversationId);
  return trigger;
}

function bounded(variables: AppliedTrigger['variables']): AppliedTrigger['variables'] {
  if (Object.keys(variables).length <= LIMITS.variables) return variables;
  const message = `{param} must have at most ${LIMITS.variables} keys, those of the trigger included.`;
  throw new ServiceError('invalid_request', message, { param: ['variables'] });
}

/**
 * Returns why a start could not claim its trigger.
 * @throws {ServiceError} trigger_already_used, trigger_expired or not_found
 */
export async function claimLost(ctx: Context, triggerId: string): Promise<ServiceError> {
  const trigger = await ctx.db.trigger.findFirst({ where: { id: triggerId } });
  if (!trigger) return triggerNotFound();
  return trigger.conversationId ? triggerUsed(trigger.conversationId) : triggerExpired(trigger);
}

/** Only a start without an ID can use a trigger. @throws {ServiceError} trigger_required, invalid_request */
export function requireNoTrigger(
  { triggerRequired: isRequired }: PublishedDeployment,
  { triggerId }: Pick<AppliedTrigger, 'triggerId'>,
): void {
  if (isRequired) throw triggerRequired();
  if (triggerId === null) return;
  const message = '{param} starts a conversation with an ID of its own. Leave out one of the two.';
  throw new ServiceError('invalid_request', message, { param: ['startIfMissing'] });
}

function triggerRequired(): ServiceError {
  return new ServiceError('trigger_required', 'This workflow starts from a trigger only: send {param}.', {
    param: ['triggerId'],
  });
}

function mismatch(): ServiceError {
  const message = '{param} is not linked to this conversation. Leave out one of the two.';
  return new ServiceError('trigger_conversation_mismatch', message, { param: ['triggerId'] });
}

function triggerExpired({ id, expiresAt }: Trigger): ServiceError {
  return new ServiceError('trigger_expired', 'This trigger has expired. Create a new one.', {
    param: ['triggerId'],
    facts: { trigger_id: id, expires_at: expiresAt?.toISOString() ?? null },
  });
}

function triggerUsed(conversationId: string): ServiceError {
  const message = 'This trigger has started a conversation already. Continue that one by its conversation_id.';
  return new ServiceError('trigger_already_used', message, {
    param: ['triggerId'],
    facts: { conversation_id: conversationId },
  });
}
