import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { createTrigger } from '../support/triggers.ts';

/** A user's text that a provider or a tool repeats. */
const MARKER = 'my-secret-diary';

let provided: ProviderService;
let agent: string;
beforeAll(async () => {
  provided = await startProviderService({ logLevel: 'trace' });
  agent = await provided.agent({ resourceTools: ['create_resource'] });
});
afterAll(() => provided.close());

const sql = (statement: string) => provided.service.service.services.stores.prisma.$executeRawUnsafe(statement);

/** Makes the database reject the assistant's text, or the results of its tools. */
const refuse = (condition: string) =>
  sql(`ALTER TABLE timeline_item ADD CONSTRAINT no_marker CHECK (NOT (${condition})) NOT VALID`);
afterEach(() => sql('ALTER TABLE timeline_item DROP CONSTRAINT IF EXISTS no_marker'));

const REPLIES = `role = 'assistant' AND content::text LIKE '%${MARKER}%'`;
const RESULTS = `output IS NOT NULL`;

const result = { kind: 'answer', deltas: [`You wrote ${MARKER}`] } as const;
const create = (fields: object) => ({
  kind: 'answer' as const,
  calls: [{ name: 'create_resource', arguments: JSON.stringify(fields) }],
});

/** A turn whose message contains the marker. */
const turn = () => provided.turn(agent, { content: textContent(`Remember ${MARKER}`) });

const lines = () => provided.service.logLines;

async function latestRun() {
  return provided.service.service.services.stores.prisma.run.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
}

describe('a turn whose reply cannot be stored', () => {
  it('is settled as failed, and the next message is accepted', async () => {
    await refuse(REPLIES);
    provided.provider.reply(result);
    const failed = await turn();
    expect(failed.status).toBe(500);
    expect(await latestRun()).toMatchObject({ status: 'failed', leaseOwner: null });
    provided.provider.reply({ kind: 'answer', deltas: ['fine'] });
    const { conversationId: conversation_id } = await latestRun();
    expect((await provided.turn(agent, { conversation_id })).body).toMatchObject({ content: 'fine' });
  });

  it('is settled as failed if the result of a tool cannot be stored', async () => {
    await refuse(RESULTS);
    provided.provider.reply(create({ type: 'note', fields: { a: MARKER } }), result);
    expect((await turn()).status).toBe(500);
    expect(await latestRun()).toMatchObject({ status: 'failed', leaseOwner: null });
  });

  it('is settled as failed if its partial reply cannot be stored', async () => {
    await refuse(REPLIES);
    provided.provider.reply({ kind: 'cut', deltas: [`You wrote ${MARKER}`] });
    const response = await fetch(`${provided.service.url}/v1/runner/${agent}/conversation/stream`, {
      method: 'POST',
      headers: { authorization: `Bearer ${provided.service.keys.live}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: textContent('Hello') }),
    });
    await expect(response.text()).rejects.toThrow();
    expect(await latestRun()).toMatchObject({ status: 'failed', leaseOwner: null });
    expect(lines().join('')).toContain('settled without its partial reply');
  });
});

describe('a run whose process died', () => {
  it('is settled at any age', async () => {
    provided.provider.reply({ kind: 'answer', calls: [{ name: 'tool', arguments: '{}' }] });
    const client_capabilities = [{ name: 'tool', input_schema: {} }];
    const { run_id: id } = (await provided.turn(agent, { client_capabilities })).body;
    await sql(`UPDATE run SET status = 'running', created_at = now() - interval '60 days',
      lease_owner = gen_random_uuid(), lease_expires_at = to_timestamp(0) WHERE id = '${id}'`);
    const { prisma } = provided.service.service.services.stores;
    const statusOf = async () => (await prisma.run.findFirstOrThrow({ where: { id } })).status;
    await expect.poll(statusOf).toBe('failed');
  });
});

describe('log lines', () => {
  it('contain nothing of a message, whatever fails', async () => {
    const before = lines().length;
    provided.provider.reply({ kind: 'status', status: 400, body: MARKER });
    expect((await turn()).status).toBe(502);
    for (const kind of ['cut', 'eof', 'error-event'] as const) {
      provided.provider.reply({ kind, deltas: [MARKER] });
      expect((await turn()).status).toBe(502);
    }
    const deep = { type: 'note', fields: JSON.parse(`${`{"${MARKER}":`.repeat(30)}1${'}'.repeat(30)}`) };
    for (const fields of [{ type: MARKER, fields: {} }, deep]) {
      provided.provider.reply(create(fields), { kind: 'answer', deltas: ['sorry'] });
      expect((await turn()).status).toBe(200);
    }
    await refuse(REPLIES);
    provided.provider.reply(result);
    expect((await turn()).status).toBe(500);
    await sql('ALTER TABLE timeline_item DROP CONSTRAINT no_marker');
    await refuse(`content::text LIKE '%${MARKER}%'`);
    expect((await turn()).status).toBe(500);
    const logged = lines().slice(before).join('');
    expect(logged.match(/a turn failed|an action failed|unexpected error/g)?.length).toBeGreaterThanOrEqual(9);
    expect(logged).not.toContain(MARKER);
  });

  it('name the error and its location in the code', async () => {
    await refuse(REPLIES);
    provided.provider.reply(result);
    await turn();
    const line = lines().findLast((each) => each.includes('unexpected error'));
    const { err } = JSON.parse(line ?? '{}');
    expect(JSON.stringify(err)).toContain('23514');
    expect(JSON.stringify(err.stack)).toContain('settle.ts');
  });

  it('contain nothing of the messages of Prisma and PostgreSQL about a rejected row', async () => {
    await sql(`ALTER TABLE trigger ADD CONSTRAINT no_trigger CHECK (content::text NOT LIKE '%${MARKER}%') NOT VALID`);
    const { status } = await createTrigger(provided.service, { content: textContent(MARKER) }, agent);
    expect(status).toBe(500);
    expect(lines().join('')).toContain('unexpected error');
    expect(lines().join('')).not.toContain(MARKER);
  });
});
