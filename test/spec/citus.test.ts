import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DISTRIBUTED_TABLES, LOCAL_TABLES, REFERENCE_TABLES } from '../../src/db/distribution.ts';
import { lookup, pauseTurn, readHistory, resume } from '../support/agent-turns.ts';
import { CITUS_URL, type CitusDatabase, createCitusDatabase, run, startFirst } from '../support/citus.ts';
import { type CliResult, runCommand } from '../support/cli.ts';
import { said } from '../support/end-users.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { trackSubscriptions } from '../support/subscriptions.ts';
import { uploadFile } from '../support/uploads.ts';

const SUBSCRIPTION = 'subscription { eventAppended { cursor event { type resourceId } } }';
const TURNS = `/v2/runner/${DEMO_AGENT_ID}/conversation`;

describe.skipIf(!CITUS_URL)('a database that is distributed with Citus (TEST_CITUS_URL)', () => {
  let database: CitusDatabase;
  let service: TestService;
  let calls: CliResult[];
  const feeds = trackSubscriptions();
  afterEach(feeds.closeAll);

  beforeAll(async () => {
    database = await createCitusDatabase();
    const env = { DATABASE_URL: database.url, SECRET_KEY: 'a secret that only tests know, and long enough' };
    await runCommand(env, ['migrate']);
    calls = [
      await runCommand(env, ['distribute', '--shards', '4', '--json']),
      await runCommand(env, ['distribute', '--shards', '4']),
    ];
    service = await startService({}, { home: await startFirst(database) });
  }, 120_000);
  afterAll(() => service?.close());

  const turn = (body: object) => service.send('POST', TURNS, { body });

  it('has every table where distribution.ts says, and a second call changes nothing', async () => {
    expect(calls.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    const report = JSON.parse(calls[0]?.stdout ?? '');
    expect(report).toMatchObject({
      distributed: DISTRIBUTED_TABLES,
      reference: REFERENCE_TABLES,
      local: LOCAL_TABLES,
    });
    expect(calls[1]?.stdout).toBe('All tables are distributed.\n');
    const rows = await run<{ name: string }>(
      database.url,
      `SELECT relname AS name FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid
       WHERE NOT relispartition AND relname <> ALL ('{${LOCAL_TABLES.join(',')}}') ORDER BY relname COLLATE "C"`,
    );
    expect(rows.map(({ name }) => name)).toEqual([...DISTRIBUTED_TABLES, ...REFERENCE_TABLES].sort());
  });

  it('runs turns, and lists their conversations', async () => {
    const first = await turn(said('Hello'));
    expect(first).toMatchObject({ status: 200, body: { content: 'You said: Hello' } });
    const { conversation_id } = first.body;
    const second = await turn(said('More', { conversation_id }));
    expect(second).toMatchObject({ status: 200, body: { content: 'You said: More' } });
    expect((await readHistory(service, conversation_id)).items).toHaveLength(4);
    const list = await service.send('GET', '/v1/runner/conversations');
    expect(list).toMatchObject({ status: 200 });
    expect(JSON.stringify(list.body)).toContain(conversation_id);
  });

  it('resumes a paused turn', async () => {
    const { conversation_id } = (await turn(said('Hello'))).body;
    const paused = await pauseTurn(service, conversation_id, `${lookup('ann')}\n/say Done.`);
    expect(await resume(service, paused, { plan: 'pro' })).toMatchObject({
      status: 200,
      body: { run_status: 'completed', content: 'Done.' },
    });
  });

  it('stores a file that a message uses', async () => {
    const { id, uri } = await uploadFile(service);
    const parts = [
      { type: 'text', text: 'Look' },
      { type: 'image', mime_type: 'image/png', file_uri: uri },
    ];
    expect((await turn({ content: parts })).status).toBe(200);
    const rows = await run(database.url, `SELECT FROM file_use WHERE file_id = '${id}'`);
    expect(rows).toHaveLength(1);
  });

  it('sends events to subscribers, in the order of the worker', async () => {
    const stream = await feeds.open(service, SUBSCRIPTION, {}, service.keys.live);
    const made = await service.send('POST', '/v1/resources', { body: { type: 'order', fields: { total: 3 } } });
    expect(made.status).toBe(201);
    const { id } = made.body.data;
    const { data } = await stream.next();
    expect(data.eventAppended.event).toEqual({ type: 'RESOURCE_CREATED', resourceId: id });
    // The highest transaction ID of the workers. The coordinator has assigned more, because it migrated.
    const next = await Promise.all(
      database.workers.map((url) =>
        run<{ xid: string }>(url, 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid'),
      ),
    );
    const [event] = await run<{ xid: string }>(
      database.url,
      `SELECT max(xid::text::bigint)::text AS xid FROM event WHERE resource_id = '${id}'`,
    );
    expect(Number(event?.xid)).toBeLessThan(Math.max(...next.map(([row]) => Number(row?.xid))));
  });

  it('shows an environment only its own rows', async () => {
    const { conversation_id } = (await turn(said('Secret'))).body;
    const other = { key: service.keys.test };
    expect((await service.send('GET', `/v1/conversations/${conversation_id}`, other)).status).toBe(404);
    const [row] = await run<{ environment: string }>(
      database.url,
      `SELECT environment_id::text AS environment FROM conversation WHERE id = '${conversation_id}'`,
    );
    const visible = (scope: string) =>
      run<{ rows: number }>(
        database.url,
        'BEGIN',
        'SET ROLE parley_service',
        `SET LOCAL parley.environment = '${scope}'`,
        `SELECT count(*)::int AS rows FROM conversation WHERE environment_id = '${row?.environment}'`,
      );
    expect(await visible('00000000-0000-4000-8000-0000000000ff')).toEqual([{ rows: 0 }]);
    expect((await visible(row?.environment ?? ''))[0]?.rows).toBeGreaterThan(0);
  });
});
