import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { lookup, pauseTurn } from '../support/agent-turns.ts';
import { ALL_FIELDS, type SendOperation, sendOf } from '../support/all-operations.ts';
import { type Client, fromManyAddresses, type SendOptions } from '../support/client.ts';
import { expectError } from '../support/error-bodies.ts';
import { createFixtures, createFixturesFor, type Fixtures } from '../support/fixtures.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';
import { until } from '../support/until.ts';

/** Every mutation that must not happen twice, and its rows. Repeating one of the others changes nothing more. */
const EFFECTS = {
  connectIntegration: 'integration',
  createApiKey: 'api_key',
  createDeployment: 'deployment',
  createResource: 'resource',
  createTrigger: 'trigger',
  createUpload: 'file',
  // Its other columns change in the background.
  createWebhookEndpoint: '(SELECT id FROM webhook_endpoint)',
  createWorkflow: 'workflow',
  deleteConversation: 'conversation',
  publishDocument: 'document_version',
  publishWorkflow: 'workflow_version',
  replayWebhookDeliveries: 'webhook_replay',
  rotateApiKey: 'api_key',
  runAgentTurn: 'timeline_item',
  sendMessage: 'timeline_item',
  updateWorkflow: 'workflow',
} as const;

let service: TestService;
let owner: string;
const prepared = new Map<string, { readonly send: SendOperation; readonly fixtures: Fixtures }>();
let conversationId: string;
let paused: Awaited<ReturnType<typeof pauseTurn>>;
beforeAll(async () => {
  service = fromManyAddresses(await startService({ trustProxy: 'loopback' }));
  owner = await openSession(service, 'owner');
  const fixtures = await createFixtures(service);
  for (const name of Object.keys(EFFECTS)) {
    const operation = ALL_FIELDS.find((field) => field.name === `Mutation.${name}`);
    if (!operation) throw new Error(`There is no mutation ${name}.`);
    prepared.set(name, {
      send: sendOf(operation),
      fixtures: await createFixturesFor(service, operation, fixtures),
    });
  }
  ({ conversation_id: conversationId } = (await service.agentTurn('Hello')).body);
  paused = await pauseTurn(
    service,
    (await service.agentTurn('Hello')).body.conversation_id,
    `${lookup('one')}\n/say Done`,
  );
  await stealClaims();
});
afterAll(() => service.close());

const db = () => service.service.services.prisma;

/** As if another process took each key over right after it was claimed. */
async function stealClaims(): Promise<void> {
  await db().$executeRaw`
    CREATE FUNCTION steal_claim() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN NEW.lease_owner := gen_random_uuid(); RETURN NEW; END $$`;
  await db().$executeRaw`
    CREATE TRIGGER stolen BEFORE INSERT ON idempotency_record FOR EACH ROW EXECUTE FUNCTION steal_claim()`;
}

function withKey(client: Client, key: string): Client {
  const keyed = (options: SendOptions = {}) => ({
    ...options,
    headers: { ...options.headers, 'idempotency-key': key },
  });
  return { ...client, graphql: (query, variables, options) => client.graphql(query, variables, keyed(options)) };
}

/** A digest of all rows. */
const digest = (rows: string) =>
  db().$queryRawUnsafe(`SELECT count(*)::int, md5(string_agg(row::text, ',' ORDER BY row::text)) FROM ${rows} AS row`);

describe('a request whose idempotency key another process took over', () => {
  it.each(Object.entries(EFFECTS))('has no effect: %s', async (name, rows) => {
    const { send, fixtures } = prepared.get(name) as NonNullable<ReturnType<typeof prepared.get>>;
    const before = await digest(rows);
    const response = await send(withKey(service, name), owner, fixtures);
    expect(response.body.errors?.[0].extensions).toMatchObject({ code: 'UNAVAILABLE', status: 503 });
    expect(await digest(rows)).toEqual(before);
  });

  it.each([
    ['a start', () => ({ content: textContent('Again') }), {}],
    ['a message of a conversation', () => ({ conversation_id: conversationId, content: textContent('Again') }), {}],
    ['a background turn', () => ({ content: textContent('Again') }), { prefer: 'respond-async' }],
    [
      'a result of a client tool',
      () => ({
        conversation_id: paused.conversationId,
        tool_results: [{ call_id: paused.callId, output: { name: 'Ada' } }],
      }),
      {},
    ],
  ] as const)('stores neither a run nor an item of a timeline: %s', async (kind, fields, headers) => {
    const before = [await digest('run'), await digest('timeline_item'), await digest('conversation')];
    const response = await service.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, {
      body: fields(),
      headers: { ...headers, 'idempotency-key': kind.replaceAll(' ', '-') },
    });
    expectError(response, 'unavailable', { message: 'Another process continues this request' });
    expect([await digest('run'), await digest('timeline_item'), await digest('conversation')]).toEqual(before);
  });

  it('does not join the queue of its conversation', async () => {
    await db().deployment.updateMany({ where: { id: DEMO_AGENT_ID }, data: { doubleTextPolicy: 'enqueue' } });
    const path = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
    const fields = { conversation_id: conversationId };
    const running = service.agentTurn('/slow 2\n/say Done', fields);
    await until(async () => (await db().run.count({ where: { conversationId, status: 'running' } })) > 0);
    const headers = { 'idempotency-key': 'queued' };
    const response = await service.send('POST', path, { body: { ...fields, content: textContent('Next') }, headers });
    expectError(response, 'unavailable', { message: 'Another process continues this request' });
    expect(await db().queuedTurn.count()).toBe(0);
    expect((await running).body.content).toBe('Done');
    expect(await db().timelineItem.count({ where: { content: { equals: textContent('Next') } } })).toBe(0);
  });
});
