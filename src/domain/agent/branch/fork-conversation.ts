import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { FORK_CONVERSATION } from '../../../shapes/branches.ts';
import { rulesOf } from '../../../shapes/field.ts';
import { ownedBy, reachOf } from '../../access/reach.ts';
import { requireScope } from '../../access/scopes.ts';
import type { Context } from '../../context.ts';
import { keepVersions } from '../../conversations/conversation-version.ts';
import { type Forked, type ForkSource, forkLine, recordedFork } from '../../conversations/fork-line.ts';
import { itemNumber } from '../../conversations/item-id.ts';
import { requireEditing } from '../../conversations/may-edit.ts';
import { conversationNotFound } from '../../conversations/reads.ts';
import { superseded } from '../../conversations/superseded.ts';
import { IS_ACTIVE, LAST_ITEM } from '../../conversations/timeline.ts';
import { parseInput } from '../../input.ts';
import {
  atVersion,
  deploymentNotFound,
  type PublishedDeployment,
  publishedDeployment,
} from '../../workflows/deployments.ts';
import { countFork } from '../limits/turn-limits.ts';
import { onCurrentState } from './branch-state.ts';

const forked = z.object(rulesOf(FORK_CONVERSATION.fields));

/**
 * Copies the active line of a conversation up to an item into a new conversation of the same owner.
 * @throws {ServiceError} invalid_request, not_found, forbidden, message_superseded, run_in_progress, fork_too_large,
 * rate_limited, challenge_required
 */
export async function forkConversation(ctx: Context, given: object): Promise<Forked> {
  const recorded = recordedFork(ctx);
  if (recorded) return recorded;
  const { conversationId, itemId, deploymentId, workflowVersion, meta } = parseInput(forked, given);
  const source = await readSource(ctx, conversationId);
  requireEditing(ctx, await publishedDeployment(ctx, source.deploymentId));
  const deployment = await targetOf(ctx, source, deploymentId ?? source.deploymentId);
  const version = await versionOf(ctx, source, deployment, workflowVersion);
  await countFork(ctx, deployment, conversationId);
  return onCurrentState(async () => {
    const current = await readSource(ctx, conversationId);
    const lastItemId = await lastItemOf(ctx, current, itemId);
    const items = Prisma.sql`(${IS_ACTIVE} AND ${LAST_ITEM} <= ${lastItemId})`;
    return forkLine(ctx, deployment, { source: current, version, items, lastItemId, meta });
  });
}

async function readSource(ctx: Context, id: string): Promise<ForkSource> {
  const [source] = await ctx.sql.rows<ForkSource>`
    SELECT id, deployment_id AS "deploymentId", workflow_version AS "workflowVersion", xid::text AS xid FROM conversation
    WHERE id = ${id}::uuid AND environment_id = ${ctx.environment.id}::uuid${ownedBy(ctx.caller)}`;
  if (!source) throw conversationNotFound();
  return source;
}

/**
 * The deployment of the fork. Callers with a reach can only name one within it.
 * @throws {ServiceError} not_found, forbidden, invalid_request
 */
async function targetOf(ctx: Context, source: ForkSource, id: string): Promise<PublishedDeployment> {
  if (id === source.deploymentId) return publishedDeployment(ctx, id);
  const reach = reachOf(ctx.caller);
  if (ctx.caller.kind === 'anonymous' || (reach && !reach.deploymentIds.includes(id))) throw deploymentNotFound();
  const deployment = await publishedDeployment(ctx, id);
  requireEditing(ctx, deployment);
  if (!deployment.triggerRequired) return deployment;
  const message = '{param} must not be a deployment whose conversations start only from a trigger.';
  throw new ServiceError('invalid_request', message, { param: ['deploymentId'] });
}

/**
 * The version that the fork keeps: the one that the request names, else that of its source in the same deployment. Naming one
 * takes the scope to let a deployment run it.
 * @throws {ServiceError} not_found, unauthorized, forbidden
 */
async function versionOf(
  ctx: Context,
  source: ForkSource,
  deployment: PublishedDeployment,
  named: number | null | undefined,
): Promise<number | null> {
  if (named == null) return deployment.id === source.deploymentId ? source.workflowVersion : null;
  requireScope(ctx.caller, 'workflows:write');
  await atVersion(ctx, deployment, named);
  await keepVersions(ctx, deployment);
  return named;
}

/**
 * The last item to copy: by default the last one of the last turn that has ended.
 * @throws {ServiceError} not_found, message_superseded, run_in_progress
 */
async function lastItemOf(ctx: Context, { id }: ForkSource, itemId: string | null | undefined): Promise<bigint> {
  const number = itemId == null ? null : (itemNumber(itemId) ?? 0n);
  const [item] = await ctx.sql.rows<{ id: bigint; supersededBy: bigint | null; isOpen: boolean }>`
    SELECT i.id, i.superseded_by AS "supersededBy", r.status IN ('running', 'waiting_for_client_action') AS "isOpen"
    FROM timeline_item i CROSS JOIN LATERAL (
      SELECT status FROM run WHERE run.id = i.run_id AND run.environment_id = ${ctx.environment.id}::uuid OFFSET 0
    ) AS r
    WHERE i.conversation_id = ${id}::uuid AND i.environment_id = ${ctx.environment.id}::uuid AND i.kind <> 'summary'
      AND CASE WHEN ${number}::int8 IS NULL
        THEN i.${IS_ACTIVE} AND r.status NOT IN ('running', 'waiting_for_client_action') ELSE i.id = ${number}::int8 END
    ORDER BY i.id DESC LIMIT 1`;
  const param = ['itemId'];
  if (!item && number === null) {
    throw new ServiceError('not_found', 'No turn of this conversation has ended, so there is nothing to copy.');
  }
  if (!item)
    throw new ServiceError('not_found', 'There is no item with this ID in this conversation. Check {param}.', {
      param,
    });
  if (item.supersededBy !== null) throw superseded(item.supersededBy, 'itemId');
  if (!item.isOpen) return item.id;
  throw new ServiceError(
    'run_in_progress',
    'The turn of {param} has not ended. Wait until it has, or name an earlier item.',
    { param },
  );
}
