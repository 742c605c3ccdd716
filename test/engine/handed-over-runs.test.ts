import { describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { dictate } from '../support/dictation.ts';
import { loseRun } from '../support/lose-run.ts';
import { startProviderService } from '../support/provider-service.ts';
import { until } from '../support/until.ts';

// The embedded database ends no connection.
describe.skipIf(!POSTGRES_URL)('a process that loses its connection to the database', () => {
  it.each([
    ['continues its turn', 'continue', 'completed', 1],
    ['ends a turn that may not be repeated', 'settle', 'failed', 0],
  ] as const)('when it stores a reply, %s', async (_case, recovery, status, attemptsLeft) => {
    const own = await startProviderService();
    const deployment = await own.agent({ recovery });
    const { prisma, sql } = own.service.service.services.stores;
    const reply = dictate(own.provider);
    const asked = own.provider.nextRequest();
    const headers = { 'idempotency-key': 'one-turn' };
    const body = { content: textContent('Hello') };
    const send = () => own.service.send('POST', `/v2/runner/${deployment}/conversation`, { body, headers });
    const response = send();
    await asked;
    own.provider.reply({ kind: 'answer', deltas: ['Continued'] });
    const [database] = await sql.rows<{ name: string }>`SELECT current_database() AS name`;
    const pool = openPool(new URL(`/${database?.name}`, POSTGRES_URL).href, 1);
    await pool.query('BEGIN; SELECT FROM conversation FOR UPDATE');
    reply.say('Done');
    reply.end();
    const waiting = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`;
    await until(async () => (await pool.query(waiting)).rows.length > 0, { withinMs: 10_000 });
    await pool.query('ROLLBACK');
    await pool.end();
    expect((await response).status).toBe(503);
    const run = await until(async () => {
      const found = await prisma.run.findFirstOrThrow();
      return found.status !== 'running' && found;
    });
    expect([run.status, run.attemptsLeft]).toEqual([status, attemptsLeft]);
    if (status === 'completed') expect(await send()).toMatchObject({ status: 200, body: { content: 'Continued' } });
    await own.close();
  });
});

describe('a process that shuts down', () => {
  it.each([
    ['has not begun its reply', '', 'conversation'],
    ['has written a part of its reply', 'Half of', 'conversation'],
    ['streams its reply', 'Half of', 'conversation/stream'],
  ])('hands over a turn that %s', async (_case, words, path) => {
    const own = await startProviderService();
    const deployment = await own.agent({ recovery: 'continue' });
    const {
      stores: { prisma },
      process: { runs },
    } = own.service.service.services;
    const reply = dictate(own.provider);
    const asked = own.provider.nextRequest();
    const version = path === 'conversation' ? 'v2' : 'v1';
    const body = { content: textContent('Hello') };
    const response = own.service.send('POST', `/${version}/runner/${deployment}/${path}`, { body }).catch(() => {});
    await asked;
    if (words) reply.say(words);
    await until(async () => (await prisma.liveText.count()) === (words ? 1 : 0));
    own.provider.reply({ kind: 'answer', deltas: ['Continued'] });
    await runs.drain(50);
    const sent = await response;
    // The connection of a streamed reply breaks, because its status is sent already.
    if (version === 'v2') expect([sent?.status, sent?.body.error.code]).toEqual([503, 'unavailable']);
    const run = await until(async () => {
      const found = await prisma.run.findFirstOrThrow();
      return found.status !== 'running' && found;
    });
    // The hand-over uses no attempt.
    expect([run.status, run.attemptsLeft, run.fence]).toEqual(['completed', 2, 2]);
    const items = await prisma.timelineItem.findMany({ orderBy: { id: 'asc' } });
    expect(items.map(({ content }) => content)).toEqual([textContent('Hello'), textContent('Continued')]);
    expect(await prisma.liveText.count()).toBe(0);
    await own.close();
  });

  it.each([
    ['waits for the outcome of another process', true],
    ['will have to wait for it', false],
  ])('responds with 503 to a client that %s', async (_case, waits) => {
    const own = await startProviderService();
    const deployment = await own.agent({ recovery: 'continue' });
    const first = dictate(own.provider);
    const asked = own.provider.nextRequest();
    const response = own.turn(deployment);
    await asked;
    const {
      stores: { prisma },
      process: { runs },
    } = own.service.service.services;
    const { id } = await prisma.run.findFirstOrThrow();
    own.provider.reply({ kind: 'hang' });
    const taken = own.provider.nextRequest();
    await loseRun(own.service, id);
    await taken;
    if (waits) first.end();
    // Only another process has the run now.
    await prisma.run.updateMany({ where: { id }, data: { fence: { increment: 1 } } });
    await runs.drain(50);
    const { status, body } = await response;
    expect([status, body.error.code]).toEqual([503, 'unavailable']);
    await own.close();
  });

  it.each([
    ['has no attempts left', {}, {}],
    ['a client has asked to stop', { recovery: 'continue' }, { interrupted: true }],
  ] as const)('ends a turn that %s, and no process continues it', async (_case, config, change) => {
    const own = await startProviderService();
    const deployment = await own.agent(config);
    own.provider.reply({ kind: 'hang' });
    const asked = own.provider.nextRequest();
    const response = own.turn(deployment);
    await asked;
    const {
      stores: { prisma },
      process: { runs },
    } = own.service.service.services;
    const { id } = await prisma.run.findFirstOrThrow();
    await prisma.run.updateMany({ where: { id }, data: change });
    own.provider.reply({ kind: 'answer', deltas: ['Continued'] });
    await runs.drain(50);
    await response;
    // The renewal of its lease may read the request to stop before the process ends the turn.
    const ends = 'interrupted' in change ? ['failed', 'interrupted'] : ['failed'];
    expect((await prisma.run.findFirstOrThrow({ where: { id } })).status).toBeOneOf(ends);
    expect(own.provider.requests).toHaveLength(1);
    await own.close();
  });
});
