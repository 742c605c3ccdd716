import { randomUUID } from 'node:crypto';
import { DEMO_CHAT_ID, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import type { Made, Sample } from './samples.ts';

/** The parts of paths of objects that can be deleted, and of objects in use. */
export interface Deletions {
  readonly trigger: string;
  readonly usedTrigger: string;
  readonly deploymentId: string;
  readonly workflowId: number;
  readonly usedWorkflowId: number;
}

export async function prepareDeletions(tested: TestService): Promise<Deletions> {
  const path = `/v1/runner/${DEMO_CHAT_ID}`;
  const body = { content: [{ type: 'text', text: 'Hello' }] };
  const create = async () => (await tested.send('POST', `${path}/trigger`, { body })).body.id as string;
  const [trigger, usedTrigger] = [await create(), await create()];
  await tested.send('POST', `${path}/conversation`, { body: { trigger_id: usedTrigger } });
  const { id: deploymentId, workflowId: usedWorkflowId } = await makeDeployment(tested, {});
  await makeDeployment(tested, {}, { name: 'Kept' });
  const { prisma } = tested.service.services.stores;
  const { workspaceId } = await prisma.workflow.findUniqueOrThrow({ where: { id: usedWorkflowId } });
  const at = new Date();
  const data = { workspaceId, name: 'Unused', draft: {}, createdAt: at, updatedAt: at };
  const { id: workflowId } = await prisma.workflow.create({ data });
  return { trigger, usedTrigger, deploymentId, workflowId, usedWorkflowId };
}

/** Requests to delete something, something in use and something unknown. */
function deletes(
  paths: { readonly deleted: string; readonly used: string; readonly unknown: string },
  weakKey: string,
) {
  return [
    { status: 409, path: paths.used },
    { status: 401, path: paths.used, key: null },
    { status: 403, path: paths.used, key: weakKey },
    { status: 404, path: paths.unknown },
    { status: 204, path: paths.deleted },
  ] satisfies Sample[];
}

export const DELETION_SAMPLES: Readonly<Record<string, (made: Made) => readonly Sample[]>> = {
  DeleteTrigger: ({ deletions, weakKey }) => {
    const path = (id: string) => `/v1/runner/${DEMO_CHAT_ID}/trigger/${id}`;
    const { trigger, usedTrigger } = deletions;
    return deletes({ deleted: path(trigger), used: path(usedTrigger), unknown: path('unknown1') }, weakKey);
  },
  DeleteDeployment: ({ deletions, weakKey }) => {
    const path = (id: string) => `/v1/deployments/${id}`;
    const unknown = path(randomUUID());
    return deletes({ deleted: path(deletions.deploymentId), used: path(DEMO_CHAT_ID), unknown }, weakKey);
  },
  DeleteWorkflow: ({ deletions, weakKey }) => {
    const path = (id: number) => `/v1/workflow/${id}`;
    const { workflowId, usedWorkflowId } = deletions;
    return deletes({ deleted: path(workflowId), used: path(1), unknown: path(usedWorkflowId + 100_000) }, weakKey);
  },
};
