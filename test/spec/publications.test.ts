import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { publishedWorkflow, type Workflows, workflowsOf } from '../support/workflows.ts';

let service: TestService;
let flows: Workflows;
beforeAll(async () => {
  service = await startService();
  flows = workflowsOf(service);
});
afterAll(() => service.close());

const prisma = () => service.service.services.stores.prisma;
const createPublished = (draft?: object) => publishedWorkflow(flows, draft);
const edit = async (id: number, draft: object) => resultOf(await flows.updateWorkflow({ id, input: { draft } }));
const publish = async (id: number, ...deployments: string[]) => resultOf(await flows.publish({ id, deployments }));

const turn = (deploymentId: string, message: string, fields: object = {}) =>
  service.send('POST', `/v2/runner/${deploymentId}/conversation`, {
    body: { content: textContent(message), ...fields },
  });
const instructionsOf = async (deploymentId: string) => (await turn(deploymentId, '/instructions')).body.content;

describe('a publication', () => {
  it('stores the draft as the next version, which its deployments run from their next turn on', async () => {
    const { workflowId, deploymentId } = await createPublished({ instructions: 'First.' });
    expect(await instructionsOf(deploymentId)).toBe('First.');
    await edit(workflowId, { instructions: 'Second.' });
    expect(resultOf(await flows.deployment({ id: deploymentId })).hasUnpublishedChanges).toBe(true);
    expect(await instructionsOf(deploymentId)).toBe('First.');
    const second = await publish(workflowId, deploymentId);
    expect(second).toMatchObject({
      isNew: true,
      version: { number: 2, config: { instructions: 'Second.' } },
      deployments: [{ deploymentId, publishedVersion: 2, hasUnpublishedChanges: false }],
    });
    expect(await instructionsOf(deploymentId)).toBe('Second.');
    const { versions } = resultOf(await flows.workflow({ id: workflowId }));
    const results = versions.nodes.map((version: { number: number; config: { instructions: string } }) => [
      version.number,
      version.config.instructions,
    ]);
    expect(results).toEqual([
      [2, 'Second.'],
      [1, 'First.'],
    ]);
  });

  it('creates no version if the draft equals the newest one', async () => {
    const { workflowId, deploymentId } = await createPublished({ instructions: 'Same.' });
    const other = resultOf(await flows.createDeployment({ id: workflowId, input: { name: 'B', kind: 'AGENT' } }));
    const repeated = await publish(workflowId, other.deploymentId, deploymentId);
    expect(repeated).toMatchObject({ isNew: false, version: { number: 1 } });
    expect(repeated.deployments).toMatchObject([{ deploymentId: other.deploymentId }, { deploymentId }]);
  });

  it('leaves other deployments on their version', async () => {
    const { workflowId, deploymentId } = await createPublished({ instructions: 'First.' });
    const other = resultOf(await flows.createDeployment({ id: workflowId, input: { name: 'B', kind: 'CHAT' } }));
    await edit(workflowId, { instructions: 'Second.' });
    await publish(workflowId, other.deploymentId);
    expect(await instructionsOf(deploymentId)).toBe('First.');
    expect(await instructionsOf(other.deploymentId)).toBe('Second.');
  });

  it('is rejected for no deployment, for a repeated one, and for a changed workflow, and publishes nothing', async () => {
    const { workflowId: id, deploymentId } = await createPublished();
    const otherWorkflow = await createPublished();
    await edit(id, { maxSteps: 3 });
    const param = 'deploymentIds';
    const twice = [deploymentId, deploymentId];
    const foreign = [deploymentId, otherWorkflow.deploymentId];
    expectGraphqlError(await flows.publish({ id, deployments: [] }), 'invalid_request', { param });
    expectGraphqlError(await flows.publish({ id, deployments: twice }), 'invalid_request', { param });
    expectGraphqlError(await flows.publish({ id, deployments: foreign }), 'not_found', { param: `${param}[1]` });
    const stale = await flows.publish({ id, deployments: [deploymentId], ifRevision: 1 });
    expectGraphqlError(stale, 'precondition_failed', { param: 'ifRevision' });
    expect(resultOf(await flows.workflow({ id })).versions.totalCount).toBe(1);
  });

  it('leaves an accepted turn on its version', async () => {
    const { workflowId, deploymentId } = await createPublished({ instructions: 'First.' });
    const running = turn(deploymentId, '/slow 1\n/instructions');
    await expect.poll(() => prisma().run.count({ where: { status: 'running' } })).toBe(1);
    await edit(workflowId, { instructions: 'Second.' });
    await publish(workflowId, deploymentId);
    const { body } = await running;
    expect(body.content).toBe('First.');
    const run = await prisma().run.findFirstOrThrow({ where: { id: body.run_id }, include: { logs: true } });
    expect([run.workflowVersion, run.logs[0]?.workflowVersion]).toEqual([1, 1]);
  });

  it('runs once with an idempotency key', async () => {
    const { workflowId: id, deploymentId } = await createPublished();
    const headers = { 'idempotency-key': `publish-${id}` };
    await edit(id, { maxSteps: 3 });
    const send = () => flows.publish({ id, deployments: [deploymentId] }, { headers });
    const first = resultOf(await send());
    await edit(id, { maxSteps: 4 });
    expect(resultOf(await send())).toEqual(first);
    expect(resultOf(await flows.workflow({ id })).versions.totalCount).toBe(2);
  });

  it('gives racing publications distinct numbers, or one shared number for equal drafts', async () => {
    const { workflowId: id, deploymentId } = await createPublished();
    const rounds = Array.from({ length: 10 }, async (_, index) => {
      const draft = { historyLimit: 10 + (index % 3) };
      await flows.updateWorkflow({ id, input: { draft } });
      return resultOf(await flows.publish({ id, deployments: [deploymentId] })).version;
    });
    const versions = await Promise.all(rounds);
    const { nodes } = resultOf(await flows.workflow({ id })).versions;
    expect(nodes.map(({ number }: { number: number }) => number)).toEqual(
      Array.from({ length: nodes.length }, (_, index) => nodes.length - index),
    );
    for (const { number, config } of versions) {
      expect(nodes.find((node: { number: number }) => node.number === number).config).toEqual(config);
    }
  });
});

describe('a version', () => {
  it('cannot be changed in the database', async () => {
    const { workflowId } = await createPublished();
    const change = prisma().workflowVersion.updateMany({ where: { workflowId }, data: { config: {} } });
    await expect(change).rejects.toThrow('immutable');
  });

  it('can be rolled back to, and forward again', async () => {
    const { workflowId, deploymentId: id } = await createPublished({ instructions: 'First.' });
    await edit(workflowId, { instructions: 'Second.' });
    await publish(workflowId, id);
    expect(resultOf(await flows.rollBack({ id, version: 1 }))).toMatchObject({
      publishedVersion: 1,
      hasUnpublishedChanges: true,
    });
    const draftVersion = async () =>
      (await service.graphql('query ($id: ID!) { workflow(id: $id) { draftVersion } }', { id: workflowId })).body.data
        .workflow.draftVersion;
    expect(await draftVersion()).toBe(2);
    expect(await instructionsOf(id)).toBe('First.');
    await flows.rollBack({ id, version: 2 });
    expect(resultOf(await flows.deployment({ id })).hasUnpublishedChanges).toBe(false);
    await edit(workflowId, { instructions: 'Third.' });
    expect(await draftVersion()).toBeNull();
    expect(await instructionsOf(id)).toBe('Second.');
    for (const version of [0, 3, -1]) {
      expectGraphqlError(await flows.rollBack({ id, version }), 'not_found', { param: 'version' });
    }
  });

  it('can be compared with another version or with the draft', async () => {
    const { workflowId: id, deploymentId } = await createPublished({
      instructions: 'First.',
      clientTools: [{ name: 'a', inputSchema: { type: 'object', properties: { 'an id': { type: 'string' } } } }],
    });
    await edit(id, {
      instructions: 'Second.',
      model: 'openai:gpt-x',
      clientTools: [
        { name: 'b', inputSchema: { type: 'object', properties: { 'an id': { type: 'number' } } } },
        { name: 'c' },
      ],
    });
    const added = { name: 'c', description: '', availability: 'when_connected' };
    const changes = [
      { path: 'instructions', before: 'First.', after: 'Second.' },
      { path: 'clientTools[0].name', before: 'a', after: 'b' },
      { path: 'clientTools[0].inputSchema.properties["an id"].type', before: 'string', after: 'number' },
      { path: 'clientTools[1]', before: null, after: added },
      { path: 'model', before: null, after: 'openai:gpt-x' },
    ];
    const byPath = (list: { path: string }[]) => [...list].sort((one, other) => one.path.localeCompare(other.path));
    expect(byPath(resultOf(await flows.diff({ id, from: 1 })))).toEqual(byPath(changes));
    await publish(id, deploymentId);
    expect(resultOf(await flows.diff({ id, from: 2 }))).toEqual([]);
    const back = changes.map(({ path, before, after }) => ({ path, before: after, after: before }));
    expect(byPath(resultOf(await flows.diff({ id, from: 2, to: 1 })))).toEqual(byPath(back));
    expectGraphqlError(await flows.diff({ id, from: 1, to: 9 }), 'not_found', { param: 'to' });
    expectGraphqlError(await flows.diff({ id: 999_999 }), 'not_found', { param: 'workflowId' });
  });
});

describe('an unpublished deployment', () => {
  it('returns 404 to runner requests and new triggers, and keeps its triggers for its next publication', async () => {
    const { workflowId, deploymentId: id } = await createPublished();
    const path = `/v1/runner/${id}`;
    const post = (to: string, body: object) => service.send('POST', `${path}${to}`, { body });
    const trigger = await post('/trigger', { content: textContent('Stored') });
    expect(resultOf(await flows.unpublish({ id }))).toMatchObject({
      publishedVersion: null,
      hasUnpublishedChanges: true,
    });
    const body = { content: textContent('Hi') };
    const responses = [await turn(id, 'Hi'), await post('/conversation', body), await post('', body)];
    responses.push(await post('/trigger', body), await service.send('GET', `${path}/widget-meta`));
    for (const response of responses) expectError(response, 'not_found', { param: 'deployment_id' });
    await publish(workflowId, id);
    const started = await turn(id, '', { content: [], trigger_id: trigger.body.id });
    expect(started.body.content).toBe('You said: Stored');
  });
});
