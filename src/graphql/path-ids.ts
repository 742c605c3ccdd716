import { findConversation } from '../domain/conversations/reads.ts';
import { findResource } from '../domain/resources/reads.ts';
import { publishedDeployment } from '../domain/workflows/deployments.ts';
import { requireWorkflow } from '../domain/workflows/reads.ts';
import type { GraphContext } from './context.ts';

/** The ids that a request is addressed to, before anything that it holds. */
export interface AddressedIds {
  readonly deploymentId?: string;
  readonly conversationId?: string;
  readonly workflowId?: number;
  readonly resourceId?: string;
}

/**
 * Makes sure that what a request is addressed to is there, so that a wrong body on a wrong address is told of the
 * address first (WIRE 3, precedence). Asked only where the body is wrong: resolvers look the same ids up themselves.
 * @throws {ServiceError} not_found
 */
export async function requireAddressed({ domain }: GraphContext, ids: AddressedIds): Promise<void> {
  const { deploymentId, conversationId, workflowId, resourceId } = ids;
  if (workflowId !== undefined) await requireWorkflow(domain, workflowId);
  if (resourceId !== undefined) await findResource(domain, resourceId);
  if (conversationId) await findConversation(domain, { conversationId, deploymentId }, {});
  else if (deploymentId) await publishedDeployment(domain, deploymentId);
}
