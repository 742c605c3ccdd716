import { ServiceError } from '../../contract/errors.ts';
import type { PrismaClient, Trigger } from '../../db/generated/client.ts';
import { type ListOrder, newestFirst, ordered } from '../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset-page.ts';
import { reachOf } from '../access/reach.ts';
import type { Context } from '../context.ts';
import { type NumberedPage, numberedPage, type PageNumber } from '../page.ts';
import { type Period, withinPeriod } from '../period.ts';

/** Triggers by creation time, newest first. */
const TRIGGERS = newestFirst<Trigger>('triggers', 'createdAt');

export function triggerNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no trigger with this ID in this environment. Check {param}.', {
    param: ['triggerId'],
  });
}

/**
 * The public read of a trigger. The trigger ID is the only credential, in any environment. Changes nothing.
 * @throws {ServiceError} not_found, also for a trigger of another deployment
 */
export async function readTrigger(prisma: PrismaClient, deploymentId: string, triggerId: string): Promise<Trigger> {
  // At most two: live and test. They share no trigger ID.
  const environments = await prisma.environment.findMany({
    where: { workspace: { deployments: { some: { id: deploymentId } } } },
    select: { id: true },
  });
  const environmentId = { in: environments.map(({ id }) => id) };
  const trigger = await prisma.trigger.findFirst({ where: { id: triggerId, deploymentId, environmentId } });
  if (!trigger) throw triggerNotFound();
  return trigger;
}

/** The trigger that started each of these conversations, or null. */
export async function triggersOf(ctx: Context, conversationIds: readonly string[]): Promise<(Trigger | null)[]> {
  const triggers = await ctx.db.trigger.findMany({ where: { conversationId: { in: [...conversationIds] } } });
  return conversationIds.map((id) => triggers.find(({ conversationId }) => conversationId === id) ?? null);
}

/** The filter of a trigger list. All conditions must hold. */
export interface TriggerFilter {
  readonly deploymentId?: string | null | undefined;
  readonly createdAt?: Period | null | undefined;
}

/** A keyset page of the environment's triggers. */
export function listTriggers(
  ctx: Context,
  args: PageArgs,
  { deploymentId, createdAt }: TriggerFilter,
  order?: ListOrder<'createdAt'> | null,
): Promise<KeysetPage<Trigger>> {
  const period = withinPeriod('createdAt', createdAt);
  const reach = reachOf(ctx.caller);
  const filter = {
    ...(deploymentId && { deploymentId }),
    ...(period && { createdAt: period }),
    ...(reach && { AND: { deploymentId: { in: [...reach.deploymentIds] } } }),
  };
  const binding = { secret: ctx.services.settings.secretKey, filters: [ctx.environment.id, filter] };
  return keysetPage(ordered(TRIGGERS, order), args, binding, {
    find: ({ where, orderBy, take }) =>
      ctx.db.trigger.findMany({ where: { AND: [filter, ...where.AND] }, orderBy, take }),
    count: () => ctx.db.trigger.count({ where: filter }),
  });
}

/** A deployment's triggers by page number, newest first. */
export function triggerPage(ctx: Context, deploymentId: string, page: PageNumber): Promise<NumberedPage<Trigger>> {
  const where = { deploymentId };
  return numberedPage(page, {
    count: () => ctx.db.trigger.count({ where }),
    find: (range) => ctx.db.trigger.findMany({ where, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], ...range }),
  });
}
