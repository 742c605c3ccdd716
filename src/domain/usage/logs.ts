import type { TurnOutcome } from '../../contract/statuses.ts';
import type { Prisma, WorkflowLog } from '../../db/generated/client.ts';
import { type KeysetPage, keysetPage, newestFirst, type PageArgs } from '../../db/keyset.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import { periodInput } from '../period.ts';

/** The workflow log, newest first. */
const LOG = newestFirst<WorkflowLog>('workflow_log', 'createdAt', 'bigint');

/** Which lines a list holds; all conditions hold. */
export interface LogFilter {
  readonly deploymentId?: string | null | undefined;
  readonly conversationId?: string | null | undefined;
  readonly triggerId?: string | null | undefined;
  readonly model?: string | null | undefined;
  readonly outcomes?: readonly TurnOutcome[] | null | undefined;
  /** Inclusive. */
  readonly from?: Date | null | undefined;
  /** Exclusive. */
  readonly to?: Date | null | undefined;
}

/**
 * A page of what the environment's turns and one-shot runs cost, and how they ended.
 * @throws {ServiceError} invalid_request where `from` is after `to`
 */
export function listWorkflowLogs(ctx: Context, args: PageArgs, filter: LogFilter): Promise<KeysetPage<WorkflowLog>> {
  const where = conditionsOf(filter);
  const binding = { secret: ctx.services.secretKey, filters: [ctx.environment.id, where] };
  return keysetPage(LOG, args, binding, {
    find: ({ where: bounds, orderBy, take }) =>
      ctx.db.workflowLog.findMany({ where: { AND: [where, ...bounds.AND] }, orderBy, take }),
    count: () => ctx.db.workflowLog.count({ where }),
  });
}

function conditionsOf({ outcomes, from, to, ...equal }: LogFilter): Prisma.WorkflowLogWhereInput {
  parseInput(periodInput, { from, to });
  const given = Object.entries(equal).filter(([, value]) => value !== undefined && value !== null);
  return {
    ...Object.fromEntries(given),
    ...(outcomes && { outcome: { in: [...outcomes] } }),
    ...((from || to) && { createdAt: { ...(from && { gte: from }), ...(to && { lt: to }) } }),
  };
}
