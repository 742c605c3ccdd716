import { customAlphabet } from 'nanoid';
import { z } from 'zod';
import type { MessageContent } from '../../contract/content.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { EnvironmentKind } from '../../contract/statuses.ts';
import { Prisma, type Trigger } from '../../db/generated/client.ts';
import { rulesOf } from '../../shapes/field.ts';
import { CREATE_TRIGGER } from '../../shapes/triggers.ts';
import { effectCte, heldClaim, underClaim } from '../access/claimed-effect.ts';
import type { Context } from '../context.ts';
import { unlessDeleted } from '../dependants.ts';
import { fileIdsOf, recordUses, requireUsableFiles } from '../files/use.ts';
import { parseInput } from '../input.ts';
import { contentInput } from '../message-content.ts';
import { deploymentNotFound, publishedDeployment } from '../workflows/deployments.ts';

const HOUR_MS = 3_600_000;

const { variablesByName, uiSurface, ttlHours } = CREATE_TRIGGER.fields;

const triggerInput = z.object({
  ...rulesOf({ uiSurface, ttlHours }),
  content: contentInput,
  variables: variablesByName.rule,
});

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();

/** The public address of a trigger has only the deployment. Its two environments share no ID, because these begin differently. */
const FIRST = { live: customAlphabet(LOWER, 1), test: customAlphabet(UPPER, 1) };

const others = customAlphabet(`0123456789${UPPER}${LOWER}`, LIMITS.triggerIdLength - 1);

/** 8 base62 characters, about 46 bits, from node:crypto. The primary key ensures uniqueness in the environment. */
const newTriggerId = (kind: EnvironmentKind) => `${FIRST[kind]()}${others()}`;

/** How often a taken ID is replaced. More collisions in a row are not chance. */
const MOST_DRAWS = 5;

/** Stores a first message for a published deployment. @throws {ServiceError} not_found, invalid_request */
export async function createTrigger(
  ctx: Context,
  deploymentId: string,
  input: Readonly<Record<string, unknown>>,
): Promise<Trigger> {
  const recorded = ctx.request.claim?.effect as RecordedTrigger | null | undefined;
  if (recorded) return ctx.db.trigger.findFirstOrThrow({ where: { id: recorded.triggerId } });
  const deployment = await publishedDeployment(ctx, deploymentId);
  const { content, variables, uiSurface, ttlHours } = parseInput(triggerInput, input);
  await requireUsableFiles(ctx, { content });
  const createdAt = ctx.now();
  return insert(ctx, {
    environmentId: ctx.environment.id,
    deploymentId: deployment.id,
    workflowId: deployment.workflowId,
    uiSurface: uiSurface ?? null,
    // Checked above, and JSON as received.
    content: content as unknown as Prisma.JsonArray,
    variables: (variables ?? null) as Prisma.JsonObject | null,
    conversationId: null,
    workflowLogId: null,
    createdAt,
    expiresAt: ttlHours == null ? null : new Date(createdAt.getTime() + ttlHours * HOUR_MS),
  });
}

/** A trigger as an idempotency key stores it. */
type RecordedTrigger = Readonly<Record<'triggerId', string>>;

async function insert(ctx: Context, trigger: Omit<Trigger, 'id'>): Promise<Trigger> {
  for (let draw = 1; draw <= MOST_DRAWS; draw += 1) {
    const id = newTriggerId(ctx.environment.kind);
    if (await isInserted(ctx, { id, ...trigger })) return { id, ...trigger };
  }
  throw new Error('every trigger ID that was drawn is taken');
}

/** Hand-written SQL, because Prisma loses a variable named `__proto__`. Returns false if the ID is taken. */
export async function isInserted(ctx: Context, trigger: Trigger): Promise<boolean> {
  const { id, environmentId, deploymentId, workflowId, uiSurface, content, variables, createdAt, expiresAt } = trigger;
  const { claim } = ctx.request;
  const store = () => ctx.services.stores.sql.rows<object>`
    WITH ${heldClaim(claim)}, recorded AS (
      INSERT INTO trigger (id, environment_id, deployment_id, workflow_id, ui_surface, content, variables, created_at,
                           expires_at)
      SELECT ${id}, ${environmentId}::uuid, ${deploymentId}::uuid, ${workflowId}, ${uiSurface},
             ${JSON.stringify(content)}::jsonb, ${variables && JSON.stringify(variables)}::jsonb, ${createdAt},
             ${expiresAt} FROM held
      ON CONFLICT DO NOTHING RETURNING id
    )${recordUses(ctx, fileIdsOf(content as unknown as MessageContent), 'trigger_id', { from: 'recorded', id: Prisma.sql`(SELECT id FROM recorded)` })}${effectCte(claim, { triggerId: id } satisfies RecordedTrigger)}
    SELECT id FROM recorded`;
  return (await unlessDeleted(deploymentNotFound, () => underClaim(claim, store))).length > 0;
}
