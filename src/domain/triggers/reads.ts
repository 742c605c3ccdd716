import { ServiceError } from '../../contract/errors.ts';
import type { PrismaClient, Trigger } from '../../db/generated/client.ts';
import { type KeysetPage, keysetPage, newestFirst, type PageArgs } from '../../db/keyset.ts';
import type { Context } from '../context.ts';
import { type NumberedPage, numberedPage, type PageNumber } from '../page.ts';

/** Triggers by creation, newest first. */
const TRIGGERS = newestFirst<Trigger>('triggers', 'createdAt');

export function triggerNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no trigger with this id here. Check {param}.', {
    param: ['triggerId'],
  });
}

/**
 * The public read of SPEC 4.7: whoever knows the id may read it, whatever environment it is of. Changes nothing.
 * @throws {ServiceError} not_found, also for a trigger of another deployment
 */
export async function readTrigger(prisma: PrismaClient, deploymentId: string, triggerId: string): Promise<Trigger> {
  const trigger = await prisma.trigger.findFirst({ where: { id: triggerId, deploymentId } });
  if (!trigger) throw triggerNotFound();
  return trigger;
}

/** A keyset page of the environment's triggers, of one deployment where it is given. */
export function listTriggers(
  ctx: Context,
  args: PageArgs,
  deploymentId: string | null | undefined,
): Promise<KeysetPage<Trigger>> {
  const filter = deploymentId ? { deploymentId } : {};
  const binding = { secret: ctx.services.secretKey, filters: [ctx.environment.id, filter] };
  return keysetPage(TRIGGERS, args, binding, {
    find: ({ where, orderBy, take }) =>
      ctx.db.trigger.findMany({ where: { AND: [filter, ...where.AND] }, orderBy, take }),
    count: () => ctx.db.trigger.count({ where: filter }),
  });
}

/** A deployment's triggers by page number (SPEC 4.7), newest first. */
export function triggerPage(ctx: Context, deploymentId: string, page: PageNumber): Promise<NumberedPage<Trigger>> {
  const where = { deploymentId };
  return numberedPage(page, {
    count: () => ctx.db.trigger.count({ where }),
    find: (range) => ctx.db.trigger.findMany({ where, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], ...range }),
  });
}
