import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Prisma } from '../../src/db/generated/client.ts';
import type { HttpResponse, SendOptions } from '../support/client.ts';
import { resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { publishedWorkflow, type Workflows, workflowsOf } from '../support/workflows.ts';

let service: TestService;
let flows: Workflows;
let workflowId: number;
let deploymentId: string;
beforeAll(async () => {
  service = await startService();
  flows = workflowsOf(service);
  ({ workflowId, deploymentId } = await publishedWorkflow(flows));
});
afterAll(() => service.close());

/** The state after a process has done the work and died before its response. */
async function loseResponse(key: string): Promise<void> {
  await service.service.services.stores.prisma.idempotencyRecord.updateMany({
    where: { key },
    data: { answer: Prisma.DbNull, leaseExpiresAt: new Date(0) },
  });
}

type Operation = (options: SendOptions) => Promise<HttpResponse>;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  createWorkflow: (options) => flows.createWorkflow({ input: { name: 'Once' } }, options),
  updateWorkflow: (options) =>
    flows.updateWorkflow({ id: workflowId, input: { draft: { maxSteps: 3 } }, ifRevision: 1 }, options),
  createDeployment: (options) =>
    flows.createDeployment({ id: workflowId, input: { name: 'Once', kind: 'CHAT' } }, options),
  publishWorkflow: (options) => flows.publish({ id: workflowId, deployments: [deploymentId] }, options),
};

describe('workflow administration with an idempotency key', () => {
  it.each(Object.entries(OPERATIONS))('%s runs once, even if its process dies', async (name, operation) => {
    const options = { headers: { 'idempotency-key': name } };
    const entries = () =>
      service.service.services.stores.prisma.auditEntry.count({ where: { action: { not: 'api_key.used' } } });
    const first = resultOf(await operation(options));
    const results = await entries();
    expect(resultOf(await operation(options))).toEqual(first);
    await loseResponse(name);
    expect(resultOf(await operation(options))).toEqual(first);
    expect(await entries()).toBe(results);
  });
});
