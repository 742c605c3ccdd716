import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { DEMO_CHAT_ID } from '../../src/domain/first-start.ts';
import { createDatabase, ROOT, type TestDatabase } from '../support/database.ts';

let home: TestDatabase;
let database: Database;
let environmentId: string;
beforeAll(async () => {
  home = await createDatabase();
  database = await openDatabase(home.location);
  environmentId = (await database.prisma.environment.findFirstOrThrow()).id;
});
afterAll(async () => {
  await database.close();
  await home.drop();
});

const at = new Date();

async function conversation() {
  const id = randomUUID();
  await database.prisma.conversation.create({
    data: {
      id,
      environmentId,
      deploymentId: DEMO_CHAT_ID,
      name: 'x',
      variables: {},
      meta: {},
      createdAt: at,
      updatedAt: at,
    },
  });
  return id;
}

function run(conversationId: string, status: 'running' | 'waiting_for_client_action' | 'completed') {
  const lease = status === 'running' ? { leaseOwner: randomUUID(), leaseExpiresAt: at } : {};
  return database.prisma.run.create({
    data: {
      id: randomUUID(),
      environmentId,
      conversationId,
      workflowVersion: 1,
      agent: true,
      status,
      ...lease,
      model: 'demo',
      requestId: 'r',
      createdAt: at,
      updatedAt: at,
    },
  });
}

describe('the constraints of the database', () => {
  it('allow one active run for each conversation', async () => {
    const id = await conversation();
    await run(id, 'completed');
    await run(id, 'running');
    await expect(run(id, 'waiting_for_client_action')).rejects.toThrow(/unique/i);
    await run(id, 'completed');
  });

  it('reject a lease without an owner, and an owner without a lease', async () => {
    const { id } = await run(await conversation(), 'waiting_for_client_action');
    for (const data of [{ leaseExpiresAt: at }, { leaseOwner: randomUUID() }]) {
      await expect(database.prisma.run.updateMany({ where: { id }, data })).rejects.toThrow('run_lease_has_owner');
    }
  });

  it('reject UPDATE, DELETE and TRUNCATE of events', async () => {
    await database.prisma.event.create({
      data: { id: 'evt_1', environmentId, type: 'resource.created', resourceId: 'res_1', payload: {}, occurredAt: at },
    });
    for (const statement of [
      `UPDATE event SET type = 'resource.deleted'`,
      'DELETE FROM event',
      'TRUNCATE event CASCADE',
    ]) {
      await expect(database.prisma.$executeRawUnsafe(statement)).rejects.toThrow(/append-only/);
    }
    expect(await database.prisma.event.count()).toBe(1);
  });

  it('reject UPDATE, DELETE and TRUNCATE of the audit log', async () => {
    const { workspaceId } = await database.prisma.environment.findUniqueOrThrow({ where: { id: environmentId } });
    const data = { workspaceId, action: 'a', actorKind: 'api_key', details: {}, requestId: 'r', occurredAt: at };
    await database.prisma.auditEntry.create({ data });
    for (const statement of [
      "UPDATE audit_entry SET action = 'b'",
      'DELETE FROM audit_entry',
      'TRUNCATE audit_entry',
    ]) {
      await expect(database.prisma.$executeRawUnsafe(statement)).rejects.toThrow(/append-only/);
    }
    expect(await database.prisma.auditEntry.count()).toBe(1);
  });

  it("allow a trigger's conversation to be set once", async () => {
    const [first, second] = [await conversation(), await conversation()];
    const { workflowId } = await database.prisma.deployment.findUniqueOrThrow({ where: { id: DEMO_CHAT_ID } });
    await database.prisma.trigger.create({
      data: { id: 'abcdefgh', environmentId, deploymentId: DEMO_CHAT_ID, workflowId, content: [], createdAt: at },
    });
    const link = (conversationId: string | null) =>
      database.prisma.trigger.updateMany({ where: { id: 'abcdefgh' }, data: { conversationId } });
    await link(first);
    await link(first);
    await expect(link(second)).rejects.toThrow(/already set/);
    await expect(link(null)).rejects.toThrow(/already set/);
  });

  it('reject changes of a published version', async () => {
    await expect(database.prisma.workflowVersion.updateMany({ data: { config: {} } })).rejects.toThrow(/immutable/);
  });

  it('reject a completed conversation without a completion time', async () => {
    const id = await conversation();
    await expect(
      database.prisma.conversation.updateMany({ where: { id }, data: { status: 'completed' } }),
    ).rejects.toThrow();
  });
});

describe('migrations', () => {
  it('are recorded in the table of prisma migrate deploy and applied once', async () => {
    expect(await migrate(database, ROOT)).toEqual([]);
    const { rows } = await database.pool.query(
      'SELECT migration_name, applied_steps_count FROM _prisma_migrations ORDER BY migration_name',
    );
    expect(rows[0]).toMatchObject({ migration_name: '20261120000000_init', applied_steps_count: 1 });
  });

  it.skipIf(!process.env.TEST_DATABASE_URL)('write timestamps in UTC in any time zone of the server', async () => {
    const id = await conversation();
    const rows = await database.sql.rows<{
      created_at: Date;
    }>`SELECT created_at FROM conversation WHERE id = ${id}::uuid`;
    expect(rows[0]?.created_at).toEqual(at);
  });
});
