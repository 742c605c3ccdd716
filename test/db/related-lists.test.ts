import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import * as lists from '../../src/domain/related/lists.ts';
import type { RelatedList } from '../../src/domain/related/page.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let copy: TestDatabase;
let database: Database;
beforeAll(async () => {
  copy = await createDatabase();
  database = await openDatabase(copy.location);
});
afterAll(async () => {
  await database.close();
  await copy.drop();
});

const VALUES = { uuid: `'${crypto.randomUUID()}'`, int4: '1', text: `'x'` } as const;

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The plan of the first page of one parent, if PostgreSQL avoids what an index makes unnecessary. */
async function planOf({ table, parent, owner, columns, direction }: RelatedList<never>): Promise<string> {
  const conditions = [
    ...parent.map(({ column, type }) => `${column} = ${VALUES[type]}`),
    ...(owner === 'environment_id' ? [`environment_id = ${VALUES.uuid}`] : []),
  ];
  const order = columns.map(({ field }) => `${snakeCase(field)} ${direction}`).join(', ');
  return database.prisma.$transaction(async (tx) => {
    await tx.$executeRawUnsafe('SET LOCAL enable_seqscan = off');
    await tx.$executeRawUnsafe('SET LOCAL enable_bitmapscan = off');
    await tx.$executeRawUnsafe('SET LOCAL enable_sort = off');
    const sql = `EXPLAIN SELECT 1 FROM ${table} WHERE ${conditions.join(' AND ')} ORDER BY ${order} LIMIT 20`;
    const rows = await tx.$queryRawUnsafe<{ readonly 'QUERY PLAN': string }[]>(sql);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}

/** The lists whose length has no bound. A conversation or run has few rows. */
const LONG_LISTS: Readonly<Record<string, RelatedList<never>>> = {
  'Deployment.conversations': lists.DEPLOYMENT_CONVERSATIONS as never,
  'Deployment.triggers': lists.DEPLOYMENT_TRIGGERS as never,
  'Deployment.workflowLogs': lists.DEPLOYMENT_LOGS as never,
  'Workflow.triggers': lists.WORKFLOW_TRIGGERS as never,
  'Workflow.deployments': lists.WORKFLOW_DEPLOYMENTS as never,
  'WorkflowVersion.deployments': lists.VERSION_DEPLOYMENTS as never,
};

describe('the first page of a list', () => {
  it.each(Object.entries(LONG_LISTS))('reads an index in order and filters no rows, for %s', async (_name, list) => {
    const plan = await planOf(list);
    expect(plan).toContain('Index');
    expect(plan).not.toMatch(/Sort|Filter/);
  });
});
