import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import type { Client, HttpResponse } from '../support/client.ts';
import { type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { graphText } from '../support/graph-content.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { errorOf, resultOf } from '../support/results.ts';
import { S3_KEYS, type S3Server, startS3Server } from '../support/s3-server.ts';
import { DEMO_AGENT_ID } from '../support/service.ts';
import { type Subscription, subscribe } from '../support/subscriptions.ts';
import { until } from '../support/until.ts';
import { newPicture, startUpload } from '../support/uploads.ts';
import { workflowsOf } from '../support/workflows.ts';

/** A claim of one of these keys waits for the test within its statement. */
const HELD = 'held-';

/** The lock that the test holds meanwhile. */
const LOCK = 42;

const HOLD_CLAIMS = `
  CREATE FUNCTION hold_claim() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_advisory_xact_lock_shared(${LOCK});
    RETURN NULL;
  END $$;
  CREATE TRIGGER hold_claim AFTER INSERT ON idempotency_record FOR EACH ROW
    WHEN (starts_with(NEW.key, '${HELD}')) EXECUTE FUNCTION hold_claim()`;

type Send = (client: Client, key: string) => Promise<HttpResponse>;

const rest =
  (path: string, body: object): Send =>
  (client, key) =>
    client.send('POST', path, { body, headers: { 'idempotency-key': key } });

const mutation =
  (name: string, input: object): Send =>
  (client, key) => {
    const type = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { ${name}(input: $input) { __typename ... on Error { code message path } } }`;
    return client.graphql(query, { input }, { headers: { 'idempotency-key': key } });
  };

/** A mutation, and what counts its effects. */
interface Kind {
  readonly name: string;
  readonly send: Send;
  readonly effects: string;
  /** After the other process nothing is left to change, so a late attempt succeeds as well. */
  readonly isRepeatable?: true;
}

const LOST = expect.objectContaining({
  code: 'unavailable',
  message: 'Another process continues this request. Send it again with the same idempotency key.',
});

describe.skipIf(!POSTGRES_URL)('a process that stalls after the claim of a key', () => {
  let store: PostgresStore;
  let s3: S3Server;
  let first: ServiceProcess;
  let second: ServiceProcess;
  let holder: pg.Client;
  beforeAll(async () => {
    [store, s3] = await Promise.all([postgresStore(), startS3Server()]);
    const env = {
      DATABASE_POOL_SIZE: '16',
      S3_ENDPOINT: s3.url,
      S3_BUCKET: s3.bucket,
      S3_REGION: S3_KEYS.region,
      S3_ACCESS_KEY_ID: S3_KEYS.accessKeyId,
      S3_SECRET_ACCESS_KEY: S3_KEYS.secretAccessKey,
    };
    [first, second] = await Promise.all([startOn(store, env), startOn(store, env)]);
    holder = new pg.Client({ connectionString: store.url });
    await holder.connect();
    await holder.query(HOLD_CLAIMS);
  });
  afterAll(async () => {
    first?.child.kill('SIGCONT');
    await holder?.end();
    await killAll();
    await Promise.all([store?.remove(), s3?.close()]);
  });

  const count = async (sql: string): Promise<number> =>
    (await holder.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${sql}`)).rows[0]?.count ?? 0;

  async function kinds(): Promise<Kind[]> {
    const { body: note } = await second.send('POST', '/v1/resources', { body: { type: 'old', fields: {} } });
    const bytes = newPicture();
    const { body: upload } = await startUpload(second, { bytes });
    const { url, headers } = upload.upload;
    expect((await fetch(url, { method: 'PUT', body: new Uint8Array(bytes), headers })).ok).toBe(true);
    return [
      {
        name: 'createResource, over REST',
        send: rest('/v1/resources', { type: 'new', fields: {} }),
        effects:
          "event WHERE type = 'resource.created' AND resource_id IN (SELECT id FROM resource WHERE type = 'new')",
      },
      {
        name: 'updateResource',
        send: mutation('updateResource', { id: note.data.id, fields: { changed: true } }),
        effects: "event WHERE type = 'resource.updated'",
        isRepeatable: true,
      },
      {
        name: 'createTrigger, over REST',
        send: rest(`/v1/runner/${DEMO_AGENT_ID}/trigger`, { content: textContent('Hi') }),
        effects: 'trigger',
      },
      {
        name: 'createApiKey',
        send: mutation('createApiKey', { name: 'Taken over', scopes: ['RESOURCES_READ'] }),
        effects: "api_key WHERE name = 'Taken over'",
      },
      {
        name: 'createWorkflow',
        send: mutation('createWorkflow', { name: 'Taken over' }),
        effects: "audit_entry WHERE action = 'workflow.created'",
      },
      {
        // Nothing but the guard of its writes knows the key.
        name: 'setModelPrice',
        send: mutation('setModelPrice', { model: 'demo', inputPerMillion: 1, outputPerMillion: 2 }),
        effects: "audit_entry WHERE action = 'model_price.set'",
      },
      {
        name: 'runAgentTurn',
        send: mutation('runAgentTurn', { deploymentId: DEMO_AGENT_ID, content: graphText('taken over') }),
        effects: "timeline_item WHERE role = 'user'",
      },
      {
        name: 'completeUpload, over REST',
        send: rest(`/v1/uploads/${upload.upload.id}/complete`, {}),
        effects: 'file_content',
        isRepeatable: true,
      },
    ];
  }

  it('finds that another process has the key before its effect, and each mutation takes effect once', async () => {
    const requests = (await kinds()).map((kind) => ({ ...kind, key: `${HELD}${randomUUID()}` }));
    await holder.query('SELECT pg_advisory_lock($1)', [LOCK]);
    const late = requests.map(({ send, key }) => send(first, key));
    const waiting = `pg_locks l JOIN pg_database d ON d.oid = l.database
      WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted`;
    await until(async () => (await count(waiting)) === requests.length);
    first.child.kill('SIGSTOP');
    await holder.query('SELECT pg_advisory_unlock($1)', [LOCK]);
    // Their process cannot renew them.
    const live = 'idempotency_record WHERE answer IS NULL AND lease_expires_at > now()';
    await until(async () => (await count(`idempotency_record WHERE key LIKE '${HELD}%'`)) === requests.length);
    await until(async () => (await count(live)) === 0);
    const taken = await Promise.all(requests.map(({ send, key }) => send(second, key)));
    first.child.kill('SIGCONT');
    const responses = await Promise.all(late);
    for (const [index, { name, key, send, effects, isRepeatable }] of requests.entries()) {
      const { status, body } = taken[index] as HttpResponse;
      expect([name, status, body.errors]).toEqual([name, expect.toBeOneOf([200, 201]), undefined]);
      const late = responses[index] as HttpResponse;
      const error = isRepeatable ? undefined : LOST;
      expect([name, errorOf(late), late.body]).toEqual([name, error, expect.anything()]);
      expect([name, await count(effects)]).toEqual([name, 1]);
      const again = await send(first, key);
      expect([name, again.headers.get('idempotency-replayed'), again.body]).toEqual([name, 'true', body]);
    }
  });

  it('starts no action of a draft and has no outcome, if it stalled while it asked the model', async () => {
    const draft = { resourceTools: ['FIND_RESOURCES', 'CREATE_RESOURCE'] };
    const created = await workflowsOf(second).createWorkflow({ input: { name: 'Tested', draft } });
    const { workflowId } = resultOf(created);
    const create = '/call create_resource {"type":"drafted","fields":{}}';
    const content = graphText(['/call find_resources {}', '/slow 1', create, '/say Done'].join('\n'));
    const input = { workflowId, turns: [{ content }] };
    const query = `subscription ($input: DraftTurnInput!) {
      draftTurn(input: $input) { __typename ... on DraftTurnDone { content } } }`;
    const headers = { 'idempotency-key': randomUUID() };
    const run = (process: ServiceProcess) => subscribe(process, query, { input }, process.key, headers);
    const late = await run(first);
    for (let steps = 0; steps < 2; ) {
      if ((await late.next()).data.draftTurn.__typename === 'DraftTurnStepped') steps += 1;
    }
    first.child.kill('SIGSTOP');
    const live = `idempotency_record WHERE key = '${headers['idempotency-key']}' AND lease_expires_at > now()`;
    await until(async () => (await count(live)) === 0);
    const taken = await lastOf(await run(second));
    expect(taken.data.draftTurn).toEqual({ __typename: 'DraftTurnDone', content: 'Done' });
    first.child.kill('SIGCONT');
    expect(errorOf({ body: await lastOf(late) })).toEqual(LOST);
    expect(await count("resource WHERE type = 'drafted'")).toBe(1);
    const lines = await holder.query('SELECT outcome FROM workflow_log WHERE workflow_id = $1 ORDER BY id', [
      workflowId,
    ]);
    expect(lines.rows).toEqual([{ outcome: 'completed' }, { outcome: 'interrupted' }]);
  });
});

/** The last event of a stream. */
async function lastOf(stream: Subscription) {
  let last = await stream.next();
  for (let event = last; event; event = await stream.next()) last = event;
  return last;
}
