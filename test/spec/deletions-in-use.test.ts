import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { POSTGRES_URL } from '../support/database.ts';
import { endUserToken } from '../support/end-users.ts';
import { expectError } from '../support/error-bodies.ts';
import { errorOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment, makeKey, makeWorkspace, type Workspace } from '../support/tenants.ts';
import { createTrigger, readTrigger } from '../support/triggers.ts';
import { until } from '../support/until.ts';

let service: TestService;
let another: Workspace;
beforeAll(async () => {
  service = await startService();
  another = await makeWorkspace(service);
});
afterAll(() => service.close());

const prisma = () => service.service.services.stores.prisma;

const ERROR = '... on Error { code message path } ... on InUse { dependants { kind count ids } }';
const remove = (name: string, input: object, key?: string) => {
  const type = `Delete${name}`;
  const document = `mutation ($input: ${type}Input!) {
    delete${name}(input: $input) { __typename ... on ${type}Payload { deletedId } ${ERROR} } }`;
  return service.graphql(document, { input }, key ? { key } : {});
};
const deleteDeployment = (deploymentId: string, key?: string) => remove('Deployment', { deploymentId }, key);

const dependantsOf = (response: Awaited<ReturnType<typeof remove>>) =>
  (Object.values(response.body.data)[0] as { dependants?: unknown }).dependants;

const start = (deploymentId: string, fields: object = {}) =>
  service.send('POST', `/v1/runner/${deploymentId}/conversation`, {
    body: { content: [{ type: 'text', text: 'Hello' }], ...fields },
  });

const globalId = async (type: 'conversation' | 'deployment', id: string) => {
  const query = `query ($id: ID!) { it: ${type}(id: $id) { id } }`;
  return (await service.graphql(query, { id })).body.data.it.id as string;
};

describe('deleteDeployment', () => {
  it('deletes a deployment with the tokens of its end users, and keeps the lines of the workflow log', async () => {
    const { id, workflowId } = await makeDeployment(service, {});
    const token = await endUserToken(service, id, 'ada');
    await service.send('POST', `/v1/runner/${id}`, { body: { content: [{ type: 'text', text: 'Hello' }] } });
    const expected = await globalId('deployment', id);
    const { body } = await deleteDeployment(id);
    expect(body.data.deleteDeployment).toEqual({ __typename: 'DeleteDeploymentPayload', deletedId: expected });
    expectError(await start(id), 'not_found');
    expectError(await service.send('GET', '/v1/runner/conversations', { key: token }), 'unauthorized');
    expect(await prisma().workflowLog.findMany({ where: { deploymentId: id } })).toMatchObject([{ workflowId }]);
    const logs = await service.graphql(
      'query ($id: ID!) { workflowLogs(filter: { deploymentId: $id }) { nodes { deploymentId deployment { name } workflow { workflowId } } } }',
      { id },
    );
    expect(logs.body.data.workflowLogs.nodes).toEqual([
      { deploymentId: id, deployment: null, workflow: { workflowId } },
    ]);
    const entry = await prisma().auditEntry.findFirstOrThrow({
      where: { action: 'deployment.deleted', subjectId: id },
    });
    expect(entry.details).toEqual({ name: 'Made', workflow_id: workflowId });
    expect(errorOf(await deleteDeployment(id))?.code).toBe('not_found');
  });

  it('names conversations, triggers, keys and issuers of both environments, and changes nothing', async () => {
    const { id } = await makeDeployment(service, {}, { name: 'Busy' });
    const conversation = (await start(id)).body.conversation_id;
    await start(id);
    const { body: trigger } = await createTrigger(service, {}, id);
    await makeKey(service, { scopes: ['conversations:read'], deploymentIds: [id] });
    const issuer = { issuer: 'https://id.example.com', audience: 'a', jwksUrl: 'https://id.example.com/jwks' };
    const { id: environmentId } = await prisma().environment.findFirstOrThrow({
      where: { kind: 'test', workspace: { deployments: { some: { id } } } },
    });
    await prisma().endUserIssuer.create({
      data: { environmentId, id: randomUUID(), ...issuer, deploymentIds: [id], updatedAt: new Date() },
    });
    const response = await deleteDeployment(id);
    expect(errorOf(response)).toMatchObject({
      code: 'in_use',
      message:
        'The deployment cannot be deleted: 2 conversations, 1 trigger, 1 API key, 1 issuer of JWTs depend on it.',
    });
    const dependants = dependantsOf(response) as { kind: string; ids: string[] }[];
    expect(dependants).toMatchObject([
      { kind: 'CONVERSATION', count: 2 },
      { kind: 'TRIGGER', count: 1 },
      { kind: 'API_KEY', count: 1 },
      { kind: 'END_USER_ISSUER', count: 1, ids: [] },
    ]);
    expect(dependants[0]?.ids).toContain(await globalId('conversation', conversation));
    expect(dependants[1]?.ids).toHaveLength(1);
    expect((await readTrigger(service, trigger.id, id)).status).toBe(200);
    expect((await start(id, { conversation_id: conversation })).status).toBe(200);
    const rest = await service.send('DELETE', `/v1/deployments/${id}`);
    expect([rest.status, rest.body.error.code]).toEqual([409, 'in_use']);
    expect(rest.body.error.dependants[1]).toEqual({ kind: 'trigger', count: 1, ids: [trigger.id] });

    // The other environment sees counts only, and a key that cannot read conversations gets no ID.
    const other = dependantsOf(await deleteDeployment(id, service.keys.test)) as { count: number; ids: string[] }[];
    expect(other.map(({ count, ids }) => [count, ids.length])).toEqual([
      [2, 0],
      [1, 0],
      [1, 0],
      [1, 0],
    ]);
    const weak = await makeKey(service, { scopes: ['workflows:write'] });
    const hidden = dependantsOf(await deleteDeployment(id, weak)) as { count: number; ids: string[] }[];
    expect(hidden.map(({ ids }) => ids)).toEqual([[], [], [], []]);
  });

  it('is not found by another workspace', async () => {
    const { id } = await makeDeployment(service, {});
    expect(errorOf(await deleteDeployment(id, another.keys.live))?.code).toBe('not_found');
    expect(await prisma().deployment.count({ where: { id } })).toBe(1);
  });

  it('ignores revoked and expired keys', async () => {
    const { id } = await makeDeployment(service, {});
    await makeKey(service, { scopes: ['conversations:read'], deploymentIds: [id] });
    const where = { deploymentIds: { has: id } };
    await prisma().apiKey.updateMany({ where, data: { revokedAt: new Date() } });
    expect(errorOf(await deleteDeployment(id))).toBeUndefined();
  });
});

describe('deleteWorkflow', () => {
  it('is refused while the workflow has deployments, and deletes its versions with it', async () => {
    const { id, workflowId } = await makeDeployment(service, {});
    const refused = await remove('Workflow', { workflowId });
    expect(errorOf(refused)?.message).toBe('The workflow cannot be deleted: 1 deployment depends on it.');
    expect(dependantsOf(refused)).toEqual([{ kind: 'DEPLOYMENT', count: 1, ids: [await globalId('deployment', id)] }]);
    await deleteDeployment(id);
    expect(errorOf(await remove('Workflow', { workflowId }, another.keys.live))?.code).toBe('not_found');
    expect((await service.send('DELETE', `/v1/workflow/${workflowId}`)).status).toBe(204);
    expect(await prisma().workflowVersion.count({ where: { workflowId } })).toBe(0);
    expect(await prisma().workflow.count({ where: { id: workflowId } })).toBe(0);
  });
});

describe('deleteTrigger', () => {
  it('deletes an unused trigger, and one whose conversation was deleted', async () => {
    const { id } = await makeDeployment(service, {});
    const { body: unused } = await createTrigger(service, {}, id);
    expect((await service.send('DELETE', `/v1/runner/${id}/trigger/${unused.id}`)).status).toBe(204);
    expectError(await readTrigger(service, unused.id, id), 'not_found');
    expectError(await start(id, { content: undefined, trigger_id: unused.id }), 'not_found');

    const { body: used } = await createTrigger(service, {}, id);
    const conversation = (await start(id, { content: undefined, trigger_id: used.id })).body.conversation_id;
    const address = { deploymentId: id, triggerId: used.id };
    expect(dependantsOf(await remove('Trigger', address))).toEqual([
      { kind: 'CONVERSATION', count: 1, ids: [await globalId('conversation', conversation)] },
    ]);
    await service.graphql('mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename } }', {
      id: conversation,
    });
    expect(errorOf(await remove('Trigger', address, service.keys.test))?.code).toBe('not_found');
    expect(errorOf(await remove('Trigger', address))).toBeUndefined();
  });
});

/** Runs `change` in a transaction that commits after `request` waits for a lock of it. */
async function whileOpen<T>(change: string, request: () => Promise<T>): Promise<T> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let response: Promise<T> | undefined;
  await prisma().$transaction(
    async (tx) => {
      await tx.$executeRawUnsafe(change);
      response = request();
      void waitsForLock().then(release, release);
      await released;
    },
    { timeout: 60_000 },
  );
  return response as Promise<T>;
}

async function waitsForLock(): Promise<void> {
  await until(async () => {
    const [row] = await prisma().$queryRaw<{ waiting: number }[]>`
      SELECT count(*)::int AS waiting FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return (row?.waiting ?? 0) > 0;
  });
}

describe.skipIf(!POSTGRES_URL)('a deletion at the same moment as another request', () => {
  it('is refused if a conversation is stored first', async () => {
    const { id } = await makeDeployment(service, {});
    const { id: environmentId } = await prisma().environment.findFirstOrThrow({
      where: { kind: 'live', workspace: { deployments: { some: { id } } } },
    });
    const insert = `INSERT INTO conversation (id, environment_id, deployment_id, name, variables, meta, created_at, updated_at)
      VALUES ('${randomUUID()}', '${environmentId}', '${id}', 'A', '{}', '{}', now(), now())`;
    const response = await whileOpen(insert, () => deleteDeployment(id));
    expect(dependantsOf(response)).toMatchObject([{ kind: 'CONVERSATION', count: 1 }]);
  });

  it('lets a start, a trigger, a token and a bound key get an error if it is first', async () => {
    const requests: [(id: string) => Promise<{ body: unknown }>, string][] = [
      [(id) => start(id), 'not_found'],
      [(id) => createTrigger(service, {}, id), 'not_found'],
      [
        (id) =>
          service.send('POST', `/v1/runner/${id}/end-user-tokens`, { body: { end_user: 'ada', ttl_seconds: 60 } }),
        'not_found',
      ],
      [
        (id) =>
          service.graphql(
            'mutation ($id: ID!) { createApiKey(input: { name: "A", scopes: [CONVERSATIONS_READ], deploymentIds: [$id] }) { __typename ... on Error { code message path } } }',
            { id },
          ),
        'invalid_request',
      ],
    ];
    for (const [request, code] of requests) {
      const { id } = await makeDeployment(service, {});
      const response = await whileOpen(`DELETE FROM deployment WHERE id = '${id}'`, () => request(id));
      expect(errorOf(response as never)?.code).toBe(code);
    }
  });

  it('lets the creation of a deployment get an error if the workflow is deleted first', async () => {
    const { id, workflowId } = await makeDeployment(service, {});
    await deleteDeployment(id);
    await prisma().workflowVersion.deleteMany({ where: { workflowId } });
    const create =
      'mutation ($id: ID!) { createDeployment(input: { workflowId: $id, name: "A", kind: CHAT }) { __typename ... on Error { code message path } } }';
    const response = await whileOpen(`DELETE FROM workflow WHERE id = ${workflowId}`, () =>
      service.graphql(create, { id: workflowId }),
    );
    expect(errorOf(response)?.code).toBe('not_found');
  });

  it('finds the conversation of a trigger that starts it first', async () => {
    const { id } = await makeDeployment(service, {});
    const { body } = await createTrigger(service, {}, id);
    const conversation = (await start(id)).body.conversation_id;
    const claim = `UPDATE trigger SET conversation_id = '${conversation}' WHERE id = '${body.id}'`;
    const response = await whileOpen(claim, () => remove('Trigger', { deploymentId: id, triggerId: body.id }));
    expect(dependantsOf(response)).toMatchObject([{ kind: 'CONVERSATION', count: 1 }]);
  });

  it('lets a one-shot run end whose trigger is deleted meanwhile', async () => {
    const { id } = await makeDeployment(service, {});
    const { body } = await createTrigger(service, { content: [{ type: 'text', text: '/slow 1\n/say Done' }] }, id);
    const run = service.send('POST', `/v1/runner/${id}`, { body: { trigger_id: body.id } });
    await until(async () => errorOf(await remove('Trigger', { deploymentId: id, triggerId: body.id })) === undefined);
    expect((await run).status).toBe(200);
    expect(await prisma().workflowLog.findMany({ where: { deploymentId: id } })).toMatchObject([{ triggerId: null }]);
  });
});
