import type { DeploymentKind } from '../../contract/statuses.ts';
import type { PrismaClient } from '../../db/generated/client.ts';
import { deploymentNotFound } from './deployments.ts';

/** The data that a page needs before it starts a conversation. */
export interface WidgetMeta {
  readonly deploymentId: string;
  readonly name: string;
  readonly triggerRequired: boolean;
  readonly authRequired: boolean;
  readonly kind: DeploymentKind;
}

/**
 * Public: anyone who knows the ID of a published deployment can read it.
 * @throws {ServiceError} not_found
 */
export async function readWidgetMeta(prisma: PrismaClient, deploymentId: string): Promise<WidgetMeta> {
  const deployment = await prisma.deployment.findFirst({
    where: { id: deploymentId, publishedVersion: { not: null } },
    select: { id: true, name: true, authRequired: true, kind: true, workflow: { select: { triggerRequired: true } } },
  });
  if (!deployment) throw deploymentNotFound();
  const { id, name, authRequired, kind, workflow } = deployment;
  return { deploymentId: id, name, authRequired, kind, triggerRequired: workflow.triggerRequired };
}
