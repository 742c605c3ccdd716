import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SESSION_CLOSERS } from '../support/access-cases.ts';
import { textContent } from '../support/agent-apis.ts';
import { ALL_FIELDS, ALL_ROUTES, sendOf } from '../support/all-operations.ts';
import { fromManyAddresses } from '../support/client.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { type PlanNode, scansOfEnvironments } from '../support/environment-scans.ts';
import { createFixtures } from '../support/fixtures.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

/** Of these, an environment has few rows. */
const FEW = ['budget', 'webhook_endpoint'];

/** Prisma writes it: the export of a conversation, which needs its files in the order of their creation. */
const BY_PRISMA = 'file with (file.id = t0.file_id)';

const ANSWERS = [
  { id: 'name', value: 'Ann' },
  { id: 'contact', value: 'email' },
  { id: 'topics', value: ['billing'] },
];

describe.skipIf(!POSTGRES_URL)('a statement that knows the key of a row', () => {
  let service: TestService;
  beforeAll(async () => {
    service = fromManyAddresses(await startService({ trustProxy: 'loopback' }));
  });
  afterAll(() => service.close());

  /**
   * The plan of a statement for any values, while the statistics of the tables are empty: the planner expects one row of an
   * environment, as it does after the first hours of a new environment.
   */
  async function planOf(statement: string): Promise<PlanNode | undefined> {
    const { prisma } = service.service.services.stores;
    const count = Math.max(0, ...[...statement.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
    const values = count > 0 ? `(${Array.from({ length: count }, () => 'NULL').join()})` : '';
    return prisma.$transaction(async (tx) => {
      await tx.$executeRawUnsafe('SET LOCAL plan_cache_mode = force_generic_plan');
      await tx.$executeRawUnsafe(`PREPARE explained AS ${statement}`);
      const [row] = await tx.$queryRawUnsafe<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }[]>(
        `EXPLAIN (FORMAT JSON) EXECUTE explained${values}`,
      );
      await tx.$executeRawUnsafe('DEALLOCATE explained');
      return row?.['QUERY PLAN'][0]?.Plan;
    });
  }

  /** Runs turns of each kind. */
  async function runTurns(): Promise<void> {
    const path = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
    const send = async (body: object) => {
      const response = await service.send('POST', path, { body });
      expect([response.status, response.body.error]).toEqual([200, undefined]);
      return response.body;
    };
    const { conversation_id } = await send({ content: textContent('Hello') });
    await send({ content: textContent('Go on'), conversation_id });
    const asking = { content: textContent('/ask'), conversation_id, client_capabilities: ['ask_user'] };
    const [{ call_id }] = (await send(asking)).client_tool_calls;
    await send({ conversation_id, tool_results: [{ call_id, output: { answers: ANSWERS } }] });
  }

  it('reads that row, and not the rows of the environment', async () => {
    const fixtures = await createFixtures(service);
    const owner = await openSession(service, 'owner');
    service.takeAllStatements();
    await runTurns();
    const operations = [...ALL_FIELDS, ...ALL_ROUTES].filter(({ name }) => !SESSION_CLOSERS.includes(name));
    // Reads first, because a change can delete what they read.
    const inOrder = [...operations.filter(({ reads }) => reads), ...operations.filter(({ reads }) => !reads)];
    for (const operation of inOrder) await sendOf(operation)(service, owner, fixtures);
    const all = new Set(
      service.takeAllStatements().filter((sql) => /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)/i.test(sql)),
    );
    expect(all.size).toBeGreaterThan(300);
    const partial = await service.service.services.stores.prisma.$queryRaw<{ name: string }[]>`
      SELECT relname AS name FROM pg_class JOIN pg_index ON indexrelid = oid WHERE indpred IS NOT NULL`;
    const small = new Set(partial.map(({ name }) => name));
    const found = new Set<string>();
    for (const statement of all) {
      const plan = await planOf(statement);
      for (const scan of plan ? scansOfEnvironments(plan, (index) => small.has(index)) : [])
        found.add(`${scan}: ${statement.replace(/\s+/g, ' ').slice(0, 200)}`);
    }
    const isAllowed = (scan: string) => scan.startsWith(BY_PRISMA) || FEW.includes(scan.split(' ')[0] ?? '');
    expect([...found].filter((scan) => !isAllowed(scan))).toEqual([]);
  });
});
