import { customAlphabet } from 'nanoid';
import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { Prisma, type Trigger } from '../../db/generated/client.ts';
import { markEffect } from '../access/idempotency.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import { messageContent } from '../message-content.ts';
import { triggerVariablesInput } from '../values-by-name.ts';
import { publishedDeployment } from '../workflows/deployments.ts';

const HOUR_MS = 3_600_000;

const TTL_RULE = `must be from 1 to ${LIMITS.ttlHours.toLocaleString('en')} hours, or null for no expiry`;

const triggerInput = z.object({
  content: messageContent,
  variables: triggerVariablesInput.nullish(),
  uiSurface: z
    .string()
    .min(1, 'must not be empty')
    .max(LIMITS.uiSurfaceLength, `must have at most ${LIMITS.uiSurfaceLength} characters`)
    .nullish(),
  ttlHours: z.int('must be a whole number').min(1, TTL_RULE).max(LIMITS.ttlHours, TTL_RULE).nullable(),
});

/** 8 base62 characters, about 48 bits, from node:crypto (WIRE 5). Unique by the primary key. */
const newTriggerId = customAlphabet(
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  LIMITS.triggerIdLength,
);

/** Ids that happen to be taken are drawn again; so many in a row are no chance. */
const MOST_DRAWS = 5;

/**
 * Stores a first message for a published deployment (SPEC 4.7).
 * @throws {ServiceError} not_found, invalid_request
 */
export async function createTrigger(
  ctx: Context,
  deploymentId: string,
  input: Readonly<Record<string, unknown>>,
): Promise<Trigger> {
  const made = ctx.request.claim?.effect as MadeTrigger | null | undefined;
  if (made) return ctx.db.trigger.findUniqueOrThrow({ where: { id: made.triggerId } });
  const deployment = await publishedDeployment(ctx, deploymentId);
  const { content, variables, uiSurface, ttlHours } = parseInput(triggerInput, input);
  const createdAt = ctx.now();
  const data = {
    environmentId: ctx.environment.id,
    deploymentId: deployment.id,
    workflowId: deployment.workflowId,
    uiSurface: uiSurface ?? null,
    content: content as unknown as Prisma.InputJsonArray,
    variables: variables ? (variables as Prisma.InputJsonObject) : Prisma.DbNull,
    createdAt,
    expiresAt: ttlHours === null ? null : new Date(createdAt.getTime() + ttlHours * HOUR_MS),
  };
  return insert(ctx, data);
}

/** A trigger as an idempotency key remembers it. */
type MadeTrigger = Readonly<Record<'triggerId', string>>;

function insertAs(ctx: Context, data: Prisma.TriggerUncheckedCreateInput): Promise<Trigger> {
  const { claim } = ctx.request;
  if (!claim) return ctx.db.trigger.create({ data });
  return ctx.db.$transaction(async (tx) => {
    await markEffect(tx, claim, { triggerId: data.id } satisfies MadeTrigger);
    return tx.trigger.create({ data });
  });
}

async function insert(ctx: Context, data: Omit<Prisma.TriggerUncheckedCreateInput, 'id'>): Promise<Trigger> {
  for (let draw = 1; ; draw += 1) {
    try {
      return await insertAs(ctx, { ...data, id: newTriggerId() });
    } catch (error) {
      const isTaken = error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
      if (!isTaken || draw === MOST_DRAWS) throw error;
    }
  }
}
