import { DEMO_CHAT_ID } from './service.ts';
import { makeDeployment } from './tenants.ts';
import { createTrigger } from './triggers.ts';
import { NO_UUID, type Provocation, type Provoke } from './turn-error-rows.ts';

const UNKNOWN_WORKFLOW = 999_999;

const deletion = (input: object, path: string): Provocation => ({ input, rest: { method: 'DELETE', path } });

const ofWorkflow = (workflowId: number) => deletion({ workflowId }, `/v1/workflow/${workflowId}`);
const ofDeployment = (deploymentId: string) => deletion({ deploymentId }, `/v1/deployments/${deploymentId}`);
const ofTrigger = (triggerId: string) =>
  deletion({ deploymentId: DEMO_CHAT_ID, triggerId }, `/v1/runner/${DEMO_CHAT_ID}/trigger/${triggerId}`);

/** Requests for the errors of deletions. */
export const DELETION_ERROR_ROWS: Readonly<Record<string, Provoke>> = {
  'deleteWorkflow not_found': () => ofWorkflow(UNKNOWN_WORKFLOW),
  'deleteWorkflow precondition_failed': () => ({ input: { workflowId: 1, ifRevision: 999 } }),
  'deleteWorkflow in_use': async (service) => ofWorkflow((await makeDeployment(service, {})).workflowId),
  'deleteDeployment not_found': () => ofDeployment(NO_UUID),
  'deleteDeployment in_use': async (service) => {
    const { id } = await makeDeployment(service, {});
    await createTrigger(service, {}, id);
    return ofDeployment(id);
  },
  'deleteTrigger not_found': () => ofTrigger('unknown1'),
  'deleteTrigger in_use': async (service) => {
    const { body } = await createTrigger(service, {});
    await service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, { body: { trigger_id: body.id } });
    return ofTrigger(body.id);
  },
};
