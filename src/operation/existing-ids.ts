import { findConversation } from '../domain/conversations/reads.ts';
import { findResource } from '../domain/resources/reads.ts';
import { publishedDeployment } from '../domain/workflows/deployments.ts';
import { requireWorkflow } from '../domain/workflows/reads.ts';
import type { OperationContext } from './context.ts';

/** The IDs in the path of a request. */
export interface ObjectIds {
  readonly deploymentId?: string;
  readonly conversationId?: string;
  readonly workflowId?: number;
  readonly resourceId?: string;
}

/**
 * Checks that the objects of a request's path exist, because 404 takes precedence over 400. Called only if the
 * input is invalid: otherwise the resolvers look up the same IDs.
 * @throws {ServiceError} not_found
 */
export async function requireExisting(context: OperationContext, ids: ObjectIds): Promise<void> {
  const { deploymentId, conversationId, workflowId, resourceId } = ids;
  // A request without IDs may have no caller, which `domain` requires.
  if (Object.keys(ids).length === 0) return;
  const { domain } = context;
  if (workflowId !== undefined) await requireWorkflow(domain, workflowId);
  if (resourceId !== undefined) await findResource(domain, resourceId);
  if (conversationId) await findConversation(domain, { conversationId, deploymentId }, {});
  else if (deploymentId) await publishedDeployment(domain, deploymentId);
}
