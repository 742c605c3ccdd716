import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_AGENT_ID } from '../../src/domain/first-start.ts';
import { connect, publishScripted } from '../support/actions.ts';
import { lookup, pauseTurn, resume } from '../support/agent-turns.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';
import { workflowsOf } from '../support/workflows.ts';

const ACTION = { integration: 'Bank', url: '/charges', inputSchema: { type: 'object' } };
const DRAFT = {
  httpActions: [
    { ...ACTION, name: 'charge', approval: { mode: 'ALWAYS', approver: 'EITHER' } },
    { ...ACTION, name: 'charge_client', approval: { mode: 'ALWAYS', approver: 'CLIENT' } },
    { ...ACTION, name: 'charge_team', approval: { mode: 'ALWAYS', approver: 'MEMBER' } },
  ],
  clientTools: [{ name: 'ask_user', availability: 'ALWAYS' }],
};

let service: TestService;
let workflow: Awaited<ReturnType<typeof publishScripted>>;
beforeAll(async () => {
  service = await startService();
  await connect(service, { kind: 'http', name: 'Bank', url: 'http://127.0.0.1:9' });
  workflow = await publishScripted(service, workflowsOf(service), DRAFT);
});
afterAll(() => service.close());

async function paused(script = lookup('c1')) {
  const { conversation_id: id } = (await service.agentTurn('Hello')).body;
  return pauseTurn(service, id, script);
}

const LIST = `query ($filter: PendingActionFilter, $orderBy: PendingActionOrder, $first: Int, $after: String, $last: Int) {
  pendingActions(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last) {
    nodes { callId name arguments waitingSince approver answerableBy call { status answeredBy deployment { deploymentId } }
      conversation { conversationId deploymentId } run { runId status } }
    pageInfo { hasNextPage endCursor } totalCount } }`;

async function list(variables: object = {}, key?: string) {
  const { body } = await service.graphql(LIST, variables, key ? { key } : {});
  expect(body.errors).toBeUndefined();
  return body.data.pendingActions;
}

const idsOf = ({ nodes }: { nodes: { callId: string }[] }) => nodes.map(({ callId }) => callId);

describe('pendingActions', () => {
  it('lists the calls that wait, longest waiting first, until they are answered', async () => {
    const [first, second] = [await paused(), await paused(`${lookup('a')} && ${lookup('b')}`)];
    const { nodes, totalCount } = await list({ filter: { deploymentId: DEMO_AGENT_ID } });
    expect(totalCount).toBe(3);
    expect(nodes[0]).toEqual({
      callId: first.callId,
      name: 'lookup_customer',
      arguments: { customer_id: 'c1' },
      waitingSince: expect.stringMatching(/Z$/),
      approver: null,
      answerableBy: ['CLIENT', 'MEMBER'],
      call: { status: 'PENDING', answeredBy: null, deployment: { deploymentId: DEMO_AGENT_ID } },
      conversation: { conversationId: first.conversationId, deploymentId: DEMO_AGENT_ID },
      run: { runId: first.runId, status: 'WAITING_FOR_CLIENT_ACTION' },
    });
    const newest = await list({ orderBy: { field: 'WAITING_SINCE', direction: 'DESC' } });
    expect(idsOf(newest)).toEqual(idsOf({ nodes }).reverse());
    await resume(service, first, { name: 'Ann' });
    expect(idsOf(await list())).not.toContain(first.callId);
    expect(idsOf(await list())).toContain(second.callId);
  });

  it('pages by cursors in both directions, which need the same filter', async () => {
    await paused(`${lookup('1')} && ${lookup('2')} && ${lookup('3')}`);
    const all = idsOf(await list());
    const first = await list({ first: 2 });
    const rest = await list({ first: 100, after: first.pageInfo.endCursor });
    expect([...idsOf(first), ...idsOf(rest)]).toEqual(all);
    expect(idsOf(await list({ last: 2 }))).toEqual(all.slice(-2));
    const other = { first: 1, after: first.pageInfo.endCursor, filter: { name: 'lookup_customer' } };
    const { body } = await service.graphql(LIST, other);
    expect(body.errors[0].extensions.code).toBe('INVALID_CURSOR');
  });

  it('filters by deployment, conversation, tool and period', async () => {
    const { conversationId, callId } = await paused();
    const { body } = await workflow.turn('/call charge {}');
    const approval = body.client_tool_calls[0].call_id;
    expect(idsOf(await list({ filter: { conversationId } }))).toEqual([callId]);
    expect(idsOf(await list({ filter: { deploymentId: workflow.deploymentId } }))).toEqual([approval]);
    expect(idsOf(await list({ filter: { name: 'approve_action' } }))).toEqual([approval]);
    expect(idsOf(await list({ filter: { conversationId: randomUUID() } }))).toEqual([]);
    const [{ waitingSince }] = (await list({ filter: { conversationId } })).nodes;
    const within = (period: object) => list({ filter: { conversationId, waitingSince: period } });
    expect(idsOf(await within({ from: waitingSince }))).toEqual([callId]);
    expect(idsOf(await within({ to: waitingSince }))).toEqual([]);
    const invalid = await service.graphql(LIST, { filter: { name: '' } });
    expect(invalid.body.errors[0].extensions.code).toBe('INVALID_REQUEST');
  });

  it('knows who can answer: an approval in a step decides for all of its calls', async () => {
    const ask = '/call ask_user {"questions":[{"id":"a","question":"Name?","input_type":"text"}]}';
    const turn = async (script: string): Promise<string[]> =>
      (await workflow.turn(script)).body.client_tool_calls.map(({ call_id }: { call_id: string }) => call_id);
    const [asked] = await turn(ask);
    const [team] = await turn('/call charge_team {}');
    const [either] = await turn('/call charge {}');
    const together = await turn(`/call charge_client {} && ${ask}`);
    expect(together).toHaveLength(2);
    const by = async (answerableBy: string) =>
      idsOf(await list({ first: 100, filter: { deploymentId: workflow.deploymentId, answerableBy } }));
    const [client, member] = [await by('CLIENT'), await by('MEMBER')];
    expect(client).toEqual(expect.arrayContaining([asked, either, ...together]));
    expect(client).not.toContain(team);
    expect(member).toEqual(expect.arrayContaining([asked, either, team]));
    expect(member.filter((id) => together.includes(id))).toEqual([]);
    const { nodes } = await list({ first: 100 });
    for (const { callId, answerableBy } of nodes) {
      if (together.includes(callId)) expect(answerableBy).toEqual(['CLIENT']);
      if (callId === team) expect(answerableBy).toEqual(['MEMBER']);
    }
    expect(nodes.find(({ callId }: { callId: string }) => callId === team).approver).toBe('MEMBER');
  });

  it('does not list a call of a run that still runs other tools of the step, or was stopped', async () => {
    const { conversation_id: id } = (await service.agentTurn('Hello')).body;
    const { callId, runId } = await pauseTurn(service, id, lookup('c1'));
    const { prisma } = service.service.services.stores;
    const lease = { leaseOwner: randomUUID(), leaseExpiresAt: new Date(Date.now() + 60_000) };
    await prisma.run.updateMany({ where: { id: runId }, data: { status: 'running', ...lease } });
    expect(idsOf(await list({ first: 100 }))).not.toContain(callId);
    const noLease = { leaseOwner: null, leaseExpiresAt: null };
    await prisma.run.updateMany({ where: { id: runId }, data: { status: 'waiting_for_client_action', ...noLease } });
    expect(idsOf(await list({ first: 100 }))).toContain(callId);
    await service.send('POST', `/v1/runner/conversation/${id}/stop`, { body: {} });
    expect(idsOf(await list({ first: 100 }))).not.toContain(callId);
  });

  it('is empty for the other environment, and requires conversations:read', async () => {
    await paused();
    expect(await list({}, service.keys.test)).toMatchObject({ nodes: [], totalCount: 0 });
    const weak = await makeKey(service, { scopes: ['conversations:write'] });
    const { body } = await service.graphql(LIST, {}, { key: weak });
    expect(body.errors[0].extensions).toMatchObject({ code: 'FORBIDDEN', requiredScope: 'conversations:read' });
  });

  it('reads a page with its edges with a constant number of statements, by its index', async () => {
    for (let count = 0; count < 6; count += 1) await paused();
    const statementsFor = async (first: number) => {
      service.takeStatements();
      expect((await list({ first })).nodes).toHaveLength(first);
      return service.takeStatements();
    };
    const two = await statementsFor(2);
    const six = await statementsFor(6);
    expect(six.length, six.join('\n---\n')).toBe(two.length);
    const { prisma } = service.service.services.stores;
    const [, plan] = await prisma.$transaction([
      prisma.$executeRaw`SET LOCAL enable_seqscan = off`,
      prisma.$queryRaw`EXPLAIN SELECT id FROM timeline_item WHERE environment_id = ${randomUUID()}::uuid
        AND kind = 'client_tool' AND status = 'pending' ORDER BY created_at, id LIMIT 20`,
    ]);
    expect(JSON.stringify(plan)).toContain('timeline_item_pending');
  });

  it('is a list of the REST API with the same filters', async () => {
    const { conversationId, callId, runId } = await paused(`${lookup('x')} && ${lookup('y')}`);
    const path = `/v1/pending-actions?conversation_id=${conversationId}`;
    const { status, body, headers } = await service.send('GET', `${path}&limit=1&answerable_by=member`);
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        {
          call_id: callId,
          name: 'lookup_customer',
          arguments: { customer_id: 'x' },
          waiting_since: expect.any(String),
          approver: null,
          answerable_by: ['client', 'member'],
          conversation_id: conversationId,
          deployment_id: DEMO_AGENT_ID,
          run_id: runId,
        },
      ],
      meta: { nextCursor: expect.any(String), hasMore: true },
    });
    expect(headers.get('link')).toContain('rel="next"');
    const next = await service.send('GET', `${path}&limit=1&answerable_by=member&cursor=${body.meta.nextCursor}`);
    expect(next.body).toMatchObject({ data: [{ arguments: { customer_id: 'y' } }], meta: { hasMore: false } });
    expect((await service.send('GET', `${path}&name=ask_user`)).body.data).toEqual([]);
    expect((await service.send('GET', path, { key: service.keys.test })).body.data).toEqual([]);
  });
});
