import type { TurnOutcome } from '../../contract/statuses.ts';
import type { Prisma, WorkflowLog } from '../../db/generated/client.ts';
import { type ListOrder, newestFirst, ordered } from '../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset-page.ts';
import type { Context } from '../context.ts';
import { type Period, withinPeriod } from '../period.ts';

/** The workflow log, newest first. */
const LOG = newestFirst<WorkflowLog>('workflow_log', 'createdAt', 'bigint');

/** A filter of log lines. All conditions must hold. */
export interface LogFilter {
  readonly deploymentId?: string | null | undefined;
  readonly conversationId?: string | null | undefined;
  readonly triggerId?: string | null | undefined;
  readonly model?: string | null | undefined;
  readonly outcomes?: readonly TurnOutcome[] | null | undefined;
  readonly createdAt?: Period | null | undefined;
}

/**
 * A page of the workflow log: the tokens and outcomes of turns and one-shot runs.
 * @throws {ServiceError} invalid_request if the period ends before it starts
 */
export function listWorkflowLogs(
  ctx: Context,
  args: PageArgs,
  filter: LogFilter,
  order?: ListOrder<'createdAt'> | null,
): Promise<KeysetPage<WorkflowLog>> {
  const where = conditionsOf(filter);
  const binding = { secret: ctx.services.settings.secretKey, filters: [ctx.environment.id, where] };
  return keysetPage(ordered(LOG, order), args, binding, {
    find: ({ where: bounds, orderBy, take }) =>
      ctx.db.workflowLog.findMany({ where: { AND: [where, ...bounds.AND] }, orderBy, take }),
    count: () => ctx.db.workflowLog.count({ where }),
  });
}

function conditionsOf({ outcomes, createdAt, ...equal }: LogFilter): Prisma.WorkflowLogWhereInput {
  const period = withinPeriod('createdAt', createdAt);
  const conditions = Object.entries(equal).filter(([, value]) => value !== undefined && value !== null);
  return {
    ...Object.fromEntries(conditions),
    ...(outcomes && { outcome: { in: [...outcomes] } }),
    ...(period && { createdAt: period }),
  };
}
