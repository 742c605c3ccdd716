import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { SCOPES } from '../../src/contract/scopes.ts';
import { EXPORT_SCOPES } from '../../src/domain/exports/environment.ts';
import { lookup, pauseTurn, resume } from '../support/agent-turns.ts';
import type { HttpResponse } from '../support/client.ts';
import { expectError } from '../support/error-bodies.ts';
import { createFixtures, type Fixtures } from '../support/fixtures.ts';
import { makeNote } from '../support/note-rows.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeKey, openSession } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let service: TestService;
let fixtures: Fixtures;
beforeAll(async () => {
  service = await startService();
  fixtures = await createFixtures(service);
});
afterAll(() => service.close());

const prisma = () => service.service.services.stores.prisma;

interface Line {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly counts?: Readonly<Record<string, number>>;
}

function linesOf({ status, headers, body }: HttpResponse): Line[] {
  expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
  expect(body.endsWith('\n')).toBe(true);
  return body
    .trimEnd()
    .split('\n')
    .map((line: string) => JSON.parse(line));
}

function countsOf(lines: readonly Line[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of lines.slice(1, -1)) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

const ofConversation = (id: string) => service.send('GET', `/v1/conversations/${id}/export`);

describe('GET /v1/conversations/{conversation_id}/export', () => {
  it('returns the conversation, its runs and its whole timeline in order, then their counts', async () => {
    const { conversation_id: id } = (await service.agentTurn('First', { meta: { ticket: 7 } })).body;
    const paused = await pauseTurn(service, id, `${lookup('c1')}\n/say Thank you.`);
    await resume(service, paused, { name: 'Ada' });
    // More than one page of items.
    for (let turn = 0; turn < 12; turn += 1) await service.agentTurn(`Turn ${turn}`, { conversation_id: id });
    const lines = linesOf(await ofConversation(id));
    expect(lines[0]).toMatchObject({ type: 'export', data: { version: 1, environment: 'live', conversation_id: id } });
    expect(lines[1]).toMatchObject({ type: 'conversation', data: { conversation_id: id, meta: { ticket: 7 } } });
    const items = lines.filter(({ type }) => type === 'item').map(({ data }) => data);
    expect(items.map((item) => item.id)).toEqual(items.map((item) => Number(item.id)).sort((a, b) => a - b));
    const call = {
      type: 'client_tool',
      status: 'completed',
      arguments: { customer_id: 'c1' },
      output: { name: 'Ada' },
    };
    expect(items).toContainEqual(expect.objectContaining(call));
    expect(items.at(-1)).toMatchObject({ role: 'assistant', content: [{ type: 'text', text: 'You said: Turn 11' }] });
    expect(countsOf(lines)).toEqual({ conversation: 1, run: 14, item: 29 });
    expect(lines.at(-1)).toEqual({ type: 'end', counts: countsOf(lines) });
  });

  it('omits the input and output of server tools', async () => {
    const { conversation_id: id } = (await service.agentTurn('Hello')).body;
    const { environmentId } = await prisma().conversation.findFirstOrThrow({ where: { id } });
    const run = await prisma().run.findFirstOrThrow({ where: { conversationId: id } });
    const secrets = { arguments: { token: 'hush' }, output: { token: 'hush' } };
    const row = { environmentId, conversationId: id, runId: run.id, step: 1, revision: 1n, createdAt: new Date() };
    await prisma().timelineItem.create({
      data: { ...row, ...secrets, kind: 'action', callId: 'call_x', name: 'pay', status: 'completed' },
    });
    const { body } = await ofConversation(id);
    expect(body).toContain('call_x');
    expect(body).not.toContain('hush');
  });

  it('is recorded in the audit log with its caller', async () => {
    const { conversation_id: id } = (await service.chat('Hello')).body;
    await ofConversation(id);
    const entries = await prisma().auditEntry.findMany({ where: { subjectId: id } });
    expect(entries).toMatchObject([{ action: 'conversation.exported', actorKind: 'api_key', environment: 'live' }]);
  });

  it('responds to HEAD without reading the data', async () => {
    const { conversation_id: id } = (await service.chat('Hello')).body;
    const { status, headers, body } = await service.send('HEAD', `/v1/conversations/${id}/export`);
    expect([status, headers.get('content-type'), body]).toEqual([200, 'application/x-ndjson', '']);
  });
});

describe('GET /v1/export', () => {
  const ofAll = (key?: string) => service.send('GET', '/v1/export', key === undefined ? {} : { key });

  it('returns everything in the environment, with the counts of the database', async () => {
    const environment = await prisma().environment.findFirstOrThrow({
      where: { kind: 'live', workspace: { name: 'Demo' } },
    });
    const where = { environmentId: environment.id };
    const issuer = { issuer: 'https://login.example.com', audience: 'a', jwksUrl: 'https://login.example.com/jwks' };
    await prisma().endUserIssuer.create({ data: { ...where, id: 'eui_a', ...issuer, updatedAt: new Date() } });
    const { id } = await prisma().conversation.findFirstOrThrow({ where });
    await makeNote(prisma(), id, 'a');
    const lines = linesOf(await ofAll());
    const counts = {
      conversation: await prisma().conversation.count({ where }),
      run: await prisma().run.count({ where }),
      item: await prisma().timelineItem.count({ where }),
      note: await prisma().conversationNote.count({ where }),
      file: await prisma().storedFile.count({ where }),
      resource: await prisma().resource.count({ where }),
      integration: await prisma().integration.count({ where }),
      webhook_endpoint: await prisma().webhookEndpoint.count({ where }),
      end_user_issuer: await prisma().endUserIssuer.count({ where }),
      trigger: await prisma().trigger.count({ where }),
      document: await prisma().document.count({ where }),
      document_version: await prisma().documentVersion.count({ where }),
      workflow_log: await prisma().workflowLog.count({ where }),
      event: await prisma().event.count({ where }),
    };
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
    expect(lines.at(-1)).toEqual({ type: 'end', counts });
    expect(countsOf(lines)).toEqual(counts);
    expect(JSON.stringify(lines)).toContain(fixtures.marker);
  });

  it('contains no secret: no key, password, header, signing secret or stored response, and no hash of them', async () => {
    const { body } = await ofAll();
    const rows = await prisma().$queryRaw<{ text: string }[]>`
      SELECT token_hash AS text FROM api_key
      UNION ALL SELECT password_hash FROM user_account
      UNION ALL SELECT encode(sealed_secret, 'base64') FROM webhook_endpoint
      UNION ALL SELECT encode(sealed_secrets, 'base64') FROM integration WHERE sealed_secrets IS NOT NULL
      UNION ALL SELECT answer::text FROM idempotency_record WHERE answer IS NOT NULL`;
    expect(rows.length).toBeGreaterThan(3);
    for (const row of rows) expect(body).not.toContain(row.text.slice(0, 40));
    expect(body).not.toMatch(/sealed|secret":|whsec_|token_?hash/i);
  });

  it('continues each page after the last one, even if rows have the same time', async () => {
    const key = await makeKey(service, { kind: 'test' });
    const { id: environmentId } = await prisma().environment.findFirstOrThrow({
      where: { kind: 'test', workspace: { name: 'Demo' } },
    });
    const createdAt = new Date();
    const ids = Array.from({ length: 65 }, (_, index) => `res_${String(index).padStart(26, '0')}`);
    await prisma().resource.createMany({
      data: ids.map((id) => ({ id, environmentId, type: 'note', fields: {}, createdAt, updatedAt: createdAt })),
    });
    const resources = linesOf(await ofAll(key)).filter(({ type }) => type === 'resource');
    expect(resources.map(({ data }) => data.id)).toEqual(ids);
  });

  it.each(EXPORT_SCOPES)('requires the scope %s of a key', async (missing) => {
    const response = await ofAll(await makeKey(service, { scopes: SCOPES.filter((scope) => scope !== missing) }));
    expectError(response, 'forbidden', { facts: { required_scope: missing } });
  });

  it.each([
    ['owner', 200],
    ['admin', 200],
    ['developer', 403],
    ['viewer', 403],
  ] as const)('returns to a session of the role %s the status %i', async (role, status) => {
    expect((await ofAll(await openSession(service, role))).status).toBe(status);
  });
});

describe('an export that is larger than the stream buffers', () => {
  let key: string;
  beforeAll(async () => {
    key = await makeKey(service);
    const { environmentId } = await prisma().apiKey.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
    const timestamps = { createdAt: new Date(0), updatedAt: new Date(0) };
    const fields = { text: 'x'.repeat(200_000) };
    const ids = Array.from({ length: 400 }, (_, index) => `res_big${String(index).padStart(23, '0')}`);
    await prisma().resource.createMany({
      data: ids.map((id) => ({ id, environmentId, type: 'big', fields, ...timestamps })),
    });
  });

  const reads = () => service.takeStatements().filter((sql) => sql.includes('"resource"')).length;
  const open = async () => /parley_subscriptions (\d+)/.exec((await service.send('GET', '/metrics')).body)?.[1];

  /**
   * Reads the first chunk, pauses, and waits until the service pauses too. Returns the number of its reads until then.
   */
  async function pauseReading(): Promise<{ answer: IncomingMessage; pages: number }> {
    reads();
    const requests = request(`${service.url}/v1/export`, { headers: { authorization: `Bearer ${key}` } }).end();
    const [response] = (await once(requests, 'response')) as [IncomingMessage];
    response.once('data', () => response.pause());
    let pages = 0;
    await until(
      async () => {
        const more = reads();
        pages += more;
        return pages > 0 && more === 0;
      },
      { everyMs: 300 },
    );
    return { answer: response, pages };
  }

  it('reads no further than its client, and stops when the client disconnects', async () => {
    const { answer: response, pages } = await pauseReading();
    expect(pages).toBeLessThan(20);
    expect(await open()).toBe('1');
    response.destroy();
    await until(async () => (await open()) === '0');
    expect(reads()).toBe(0);
  });

  it('continues to the last line when its client resumes', async () => {
    const { answer: response } = await pauseReading();
    const lines = (await text(response)).trimEnd().split('\n');
    expect(lines.filter((line) => line.includes('"type":"big"')).length).toBeGreaterThan(380);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'end' });
  });

  it('ends without the last line when its key is revoked', async () => {
    const { answer: response } = await pauseReading();
    const { id } = await prisma().apiKey.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
    await service.graphql(
      'mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { __typename ... on RevokeApiKeyPayload { apiKey { name } } ... on Error { code message path } } }',
      { id },
    );
    await until(async () => (await prisma().apiKey.findUniqueOrThrow({ where: { id } })).revokedAt !== null);
    const lines = (await text(response)).trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.at(-1)).not.toContain('"type":"end"');
  });
});

describe('GET /v1/conversations/export', () => {
  it('has the result of the search in its order, with usage, and is audited', async () => {
    for (const word of ['first', 'second']) await service.chat(`Exportable ${word}`, { meta: { status: 'label' } });
    const query = 'text=exportable&order_by=created_at&order=asc';
    const response = await service.send('GET', `/v1/conversations/export?${query}`);
    const lines = response.body
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ type: 'export', data: { environment: 'live', truncated: false } });
    expect(lines.slice(1, -1)).toMatchObject([
      { type: 'conversation', data: { name: 'Exportable first', turns: 1, failures: 0, cost: null, currency: 'USD' } },
      { type: 'conversation', data: { name: 'Exportable second', turns: 1 } },
    ]);
    expect(lines.at(-1)).toEqual({ type: 'end', counts: { conversation: 2 } });
    const entries = await prisma().auditEntry.findMany({ where: { action: 'conversations.exported' } });
    expect(entries.at(-1)).toMatchObject({ actorKind: 'api_key', details: { filter: { text: 'exportable' } } });
    const labelled = await service.send('GET', '/v1/conversations/export?meta[status]=label');
    expect(labelled.body).toContain('"counts":{"conversation":2}');
  });

  it('leaves usage out for a key without workflows:read', async () => {
    const key = await makeKey(service, { scopes: ['conversations:read'] });
    const { body } = await service.send('GET', '/v1/conversations/export?text=exportable', { key });
    expect(body).toContain('Exportable first');
    expect(body).not.toContain('"turns"');
    expect(body).not.toContain('"currency"');
    const other = await service.send('GET', '/v1/conversations/export?text=exportable', { key: service.keys.test });
    expect(other.body).toContain('"counts":{}');
  });

  it(`has at most ${LIMITS.exportedConversations} conversations, and says whether it is complete`, async () => {
    const key = service.keys.test;
    const { environmentId } = await prisma().apiKey.findFirstOrThrow({ where: { environment: { kind: 'test' } } });
    const addConversations = (count: number) => prisma().$executeRaw`
      INSERT INTO conversation (id, environment_id, deployment_id, name, variables, meta, meta_labels, created_at, updated_at)
      SELECT gen_random_uuid(), ${environmentId}::uuid, ${DEMO_CHAT_ID}::uuid, 'Many', '[]', '{}', '{}', now(), now()
      FROM generate_series(1, ${count}::int)`;
    const exported = async () => linesOf(await service.send('GET', '/v1/conversations/export', { key }));
    const before = (await exported()).length - 2;
    await addConversations(LIMITS.exportedConversations - before);
    const counts = { conversation: LIMITS.exportedConversations };
    for (const truncated of [false, true]) {
      const lines = await exported();
      expect([lines[0]?.data, lines.at(-1)?.counts]).toMatchObject([{ truncated }, counts]);
      expect(countsOf(lines)).toEqual(counts);
      await addConversations(1);
    }
  });
});
