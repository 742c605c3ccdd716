import { Prisma } from '../../db/generated/client.ts';
import { isVisitorsShare } from '../access/shares.ts';
import type { Context } from '../context.ts';
import { requestInterruption } from '../interruptions.ts';
import type { BudgetReachedError } from './budget-reached.ts';
import {
  conversationPlace,
  deploymentPlace,
  endUserPlace,
  environmentPlace,
  runPlace,
  visitorsPlace,
} from './places.ts';

/** Stops the running turns of the places whose budget says so. Their text is kept. */
export async function stopRunning(
  ctx: Context,
  { stoppedPlaces }: Pick<BudgetReachedError, 'stoppedPlaces'>,
): Promise<void> {
  if (stoppedPlaces.length === 0) return;
  const places = Prisma.sql`ARRAY[${environmentPlace}, ${deploymentPlace('')} || c.deployment_id, ${conversationPlace('')} || c.id, ${endUserPlace('')} || c.end_user,
    'end_user@' || c.deployment_id || ':' || c.end_user, ${runPlace('')} || run.id,
    CASE WHEN ${isVisitorsShare(Prisma.sql`run.share_key`)} THEN ${visitorsPlace('')} || c.deployment_id END]`;
  // Locked in the order of the IDs, so that two statements never wait for each other.
  const count = await ctx.sql.execute`
    UPDATE run SET interrupted = true FROM (
      SELECT run.id FROM run JOIN conversation c ON c.id = run.conversation_id AND c.environment_id = run.environment_id
      WHERE run.environment_id = ${ctx.environment.id}::uuid AND run.status = 'running' AND NOT run.interrupted
        AND ${places} && ${stoppedPlaces}::text[]
      ORDER BY run.id FOR NO KEY UPDATE OF run
    ) AS found
    WHERE run.environment_id = ${ctx.environment.id}::uuid AND run.id = found.id AND run.status = 'running'`;
  if (count > 0) requestInterruption(ctx.services.stores.pubSub);
}
