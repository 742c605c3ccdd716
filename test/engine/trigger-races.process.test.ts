import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { text } from '../support/doors.ts';
import { type PostgresPlace, postgres, startPair } from '../support/places.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { DEMO_AGENT_ID } from '../support/service.ts';

const RACERS = 20;
const ROUNDS = 50;

describe.skipIf(!POSTGRES_URL)('racing first uses of one trigger at two processes on one PostgreSQL', () => {
  let home: PostgresPlace;
  let pair: [ServiceProcess, ServiceProcess];
  beforeAll(async () => {
    home = await postgres();
    pair = await startPair(home);
  });
  afterAll(async () => {
    await killAll();
    await home.remove();
  });

  it('lets one of twenty win, and tells the nineteen others 409 with its conversation, in 50 rounds', async () => {
    const database = openPool(home.url, 1);
    for (let round = 0; round < ROUNDS; round += 1) {
      const created = await pair[0].send('POST', `/v1/runner/${DEMO_AGENT_ID}/trigger`, {
        body: { content: text('Hello') },
      });
      const trigger_id: string = created.body.id;
      const use = (racer: number) => {
        const version = racer % 3 === 0 ? 'v1' : 'v2';
        const path = `/${version}/runner/${DEMO_AGENT_ID}/conversation`;
        return (pair[racer % 2] as Client).send('POST', path, { body: { trigger_id } });
      };
      const answers = await Promise.all(Array.from({ length: RACERS }, (_, racer) => use(racer)));
      const won = answers.filter(({ status }) => status === 200);
      expect(won).toHaveLength(1);
      const { conversation_id } = won[0]?.body ?? {};
      const lost = answers
        .filter(({ status }) => status !== 200)
        .map(({ status, body }) => ({ status, ...body.error }));
      const refused = { status: 409, code: 'trigger_already_used', conversation_id };
      expect(lost).toEqual(Array(RACERS - 1).fill(expect.objectContaining(refused)));
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

  it('counts public reads together', async () => {
    const read = (client: Client) => client.send('GET', `/v1/runner/${DEMO_AGENT_ID}/trigger/unknown1`, { key: null });
    const left = async (client: Client) => Number((await read(client)).headers.get('ratelimit-remaining'));
    const first = await left(pair[0]);
    expect(await left(pair[1])).toBe(first - 1);
    expect(await left(pair[0])).toBe(first - 2);
  });
});
