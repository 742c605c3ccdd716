import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import type { Client } from '../support/client.ts';
import { type PostgresStore, postgresStore, startPair } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { DEMO_AGENT_ID } from '../support/service.ts';

const RACERS = 20;
const ROUNDS = 25;

describe.skipIf(!POSTGRES_URL)('racing first uses of one trigger at two processes on one PostgreSQL', () => {
  let store: PostgresStore;
  let pair: [ServiceProcess, ServiceProcess];
  beforeAll(async () => {
    store = await postgresStore();
    pair = await startPair(store);
  });
  afterAll(async () => {
    await killAll();
    await store.remove();
  });

  it('lets one of twenty win, and rejects the other nineteen with 409 and its conversation, in 50 rounds', async () => {
    const database = openPool(store.url, 1);
    for (let round = 0; round < ROUNDS; round += 1) {
      const created = await pair[0].send('POST', `/v1/runner/${DEMO_AGENT_ID}/trigger`, {
        body: { content: textContent('Hello') },
      });
      const trigger_id: string = created.body.id;
      const use = (racer: number) => {
        const version = racer % 3 === 0 ? 'v1' : 'v2';
        const path = `/${version}/runner/${DEMO_AGENT_ID}/conversation`;
        return (pair[racer % 2] as Client).send('POST', path, { body: { trigger_id } });
      };
      const responses = await Promise.all(Array.from({ length: RACERS }, (_, racer) => use(racer)));
      const won = responses.filter(({ status }) => status === 200);
      expect(won).toHaveLength(1);
      const { conversation_id } = won[0]?.body ?? {};
      const lost = responses
        .filter(({ status }) => status !== 200)
        .map(({ status, body }) => ({ status, ...body.error }));
      const rejected = { status: 409, code: 'trigger_already_used', conversation_id };
      expect(lost).toEqual(Array(RACERS - 1).fill(expect.objectContaining(rejected)));
      const { rows } = await database.query(
        'SELECT t.conversation_id, l.conversation_id AS logged FROM trigger t JOIN workflow_log l ON l.id = t.workflow_log_id WHERE t.id = $1',
        [trigger_id],
      );
      expect(rows).toEqual([{ conversation_id, logged: conversation_id }]);
    }
    const { rows } = await database.query('SELECT count(*)::int AS conversations FROM conversation');
    expect(rows).toEqual([{ conversations: ROUNDS }]);
    await database.end();
  });

  it('shares the limit of public reads', async () => {
    const read = (client: Client) => client.send('GET', `/v1/runner/${DEMO_AGENT_ID}/trigger/unknown1`, { key: null });
    const left = async (client: Client) => Number((await read(client)).headers.get('ratelimit-remaining'));
    const first = await left(pair[0]);
    expect(await left(pair[1])).toBe(first - 1);
    expect(await left(pair[0])).toBe(first - 2);
  });
});
