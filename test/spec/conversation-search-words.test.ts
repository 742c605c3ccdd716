import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIST, labels } from '../support/conversation-search.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { expectError } from '../support/error-bodies.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';

/** More conversations than a page of one looks through before it searches all. */
const COUNT = 120;

let service: TestService;
beforeAll(async () => {
  service = await startService();
  await plant();
});
afterAll(() => service.close());

/** Conversations with one message: all have "frequent", every fifth has "fifth", only the oldest ten have "early". */
async function plant(): Promise<void> {
  const { prisma } = service.service.services.stores;
  const { id: environmentId } = await prisma.environment.findFirstOrThrow({ where: { kind: 'live' } });
  await prisma.$executeRaw`
    WITH planted AS (
      INSERT INTO conversation (id, environment_id, deployment_id, name, variables, meta, meta_labels, created_at, updated_at)
      SELECT gen_random_uuid(), ${environmentId}::uuid, ${DEMO_AGENT_ID}::uuid,
             CASE WHEN n = ${COUNT} THEN 'The nameword' ELSE 'Planted' END, '{}', jsonb_build_object('n', n::text),
             ARRAY['half=' || n % 2], now() - make_interval(mins => n), now() - make_interval(mins => n)
      FROM generate_series(1, ${COUNT}) AS n
      RETURNING *
    ), started AS (
      INSERT INTO run (id, environment_id, conversation_id, workflow_version, agent, status, model, request_id, created_at,
                       updated_at)
      SELECT gen_random_uuid(), environment_id, id, 1, true, 'completed', 'demo', ${randomUUID()}, created_at, updated_at
      FROM planted RETURNING *
    )
    INSERT INTO timeline_item (environment_id, conversation_id, run_id, kind, step, role, content, revision, created_at)
    SELECT planted.environment_id, planted.id, started.id, 'message', 0, 'user', jsonb_build_array(jsonb_build_object(
             'type', 'text', 'text', concat_ws(' ', 'frequent', CASE WHEN n % 5 = 0 THEN 'fifth' END,
                                               CASE WHEN n > ${COUNT - 10} THEN 'early' END))),
           nextval('timeline_revision'), planted.created_at
    FROM planted JOIN started ON started.conversation_id = planted.id,
         LATERAL (SELECT (meta ->> 'n')::int AS n) AS number`;
}

const read = async (variables: object) => {
  const { body } = await service.graphql(LIST, variables);
  expect(body.errors).toBeUndefined();
  return body.data.conversations;
};

/** The numbers of all conversations of a search, by pages of this size. */
async function paged(filter: object, first: number, orderBy?: object): Promise<number[]> {
  const found: number[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const page: Awaited<ReturnType<typeof read>> = await read({ filter, orderBy, first, after });
    found.push(...labels(page.nodes).map(Number));
    ({ endCursor: after, hasNextPage: more } = page.pageInfo);
  }
  return found;
}

const numbers = (matches: (n: number) => boolean) =>
  Array.from({ length: COUNT }, (_, index) => index + 1).filter(matches);

describe('the search for words', () => {
  it.each([
    ['frequent', () => true],
    ['fifth', (n: number) => n % 5 === 0],
    ['early', (n: number) => n > COUNT - 10],
    ['nameword', (n: number) => n === COUNT],
    ['missing', () => false],
  ] as const)('finds "%s" in each conversation once, in order, however frequent it is', async (text, matches) => {
    const expected = numbers(matches);
    for (const first of [1, 7, 100]) expect(await paged({ text }, first)).toEqual(expected);
    const created = { field: 'CREATED_AT', direction: 'ASC' };
    expect(await paged({ text }, 3, created)).toEqual(expected.toReversed());
    const byCount = { field: 'MESSAGE_COUNT', direction: 'ASC' };
    expect((await paged({ text }, 30, byCount)).toSorted((a, b) => a - b)).toEqual(expected);
    const half = await paged({ text, meta: { half: '1' } }, 2);
    expect(half).toEqual(expected.filter((n) => n % 2 === 1));
    expect((await read({ filter: { text }, first: 1 })).totalCount).toBe(expected.length);
  });

  /** The statements of a search that read messages, and those that check its words. */
  async function statementsOf(filter: object, first: number) {
    service.takeStatements();
    await read({ filter, first });
    const statements = service.takeStatements();
    const having = (part: string) => statements.filter((sql) => sql.includes(part)).length;
    return { near: having('near AS'), all: having('UNION SELECT id FROM conversation'), checks: having('querytree') };
  }

  it('reads only the first conversations of the list if they have enough matches, and checks its words once', async () => {
    // The other statement counts the matches.
    expect(await statementsOf({ text: 'frequent' }, 1)).toEqual({ near: 1, all: 1, checks: 1 });
    expect(await statementsOf({ text: 'fifth' }, 1)).toEqual({ near: 1, all: 1, checks: 1 });
  });

  it('reads all conversations if the first ones have too few matches, unless there are no others', async () => {
    expect(await statementsOf({ text: 'early' }, 1)).toEqual({ near: 1, all: 2, checks: 1 });
    expect(await statementsOf({ text: 'missing' }, 100)).toEqual({ near: 1, all: 1, checks: 1 });
  });
});

// The embedded database does not cancel statements.
describe.skipIf(!POSTGRES_URL)('a search that takes too long', () => {
  it('is canceled after 5 seconds, and returns 400', async () => {
    const started = performance.now();
    const response = await service.service.services.stores.prisma.$transaction(
      async (tx) => {
        await tx.$executeRaw`LOCK TABLE timeline_item IN ACCESS EXCLUSIVE MODE`;
        return service.send('GET', '/v1/conversations?text=frequent');
      },
      { timeout: 30_000 },
    );
    expectError(response, 'invalid_request', { param: null, message: 'longer than 5 seconds' });
    expect((performance.now() - started) / 1_000).toBeGreaterThan(4.9);
  });
});
