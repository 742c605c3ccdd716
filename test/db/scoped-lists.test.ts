import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { type ScopedDb, scopedDb } from '../../src/db/scoped.ts';
import { rowKey } from '../../src/domain/row-key.ts';
import {
  addressOf,
  createEveryRow,
  delegateOf,
  listsOf,
  MODELS,
  makeTenant,
  ownerOf,
  type Row,
  type Rows,
} from '../support/all-models.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let copy: TestDatabase;
let database: Database;
let scoped: ScopedDb;
let own: Rows;
/** Rows of the other environment that belong to the same workspace, workflow and deployment. */
let sibling: Rows;

beforeAll(async () => {
  copy = await createDatabase();
  database = await openDatabase(copy.location);
  const { prisma } = database;
  const tenant = await makeTenant(prisma);
  scoped = scopedDb(prisma, tenant.live);
  own = await createEveryRow(prisma, tenant.live);
  sibling = await createEveryRow(prisma, tenant.test);
  const shared = { deploymentId: String(own.Deployment?.id), workflowId: Number(own.Workflow?.id) };
  const { deploymentId } = shared;
  await prisma.conversation.updateMany({ where: { id: String(sibling.Conversation?.id) }, data: { deploymentId } });
  await prisma.trigger.updateMany({ where: { id: String(sibling.Trigger?.id) }, data: shared });
  await prisma.workflowLog.updateMany({ where: { id: sibling.WorkflowLog?.id as bigint }, data: shared });
});
afterAll(async () => {
  await database.close();
  await copy.drop();
});

const LISTS = MODELS.flatMap((model) => listsOf(model).map(({ name, type }) => [model, name, type] as const));

/** Whether the items contain the row of the other environment. */
function holdsSibling(type: string, items: unknown): boolean {
  if (ownerOf(type) !== 'environmentId') return false;
  const { filter } = addressOf(type, sibling[type] ?? {});
  return (items as Row[]).some((item) => Object.entries(filter).every(([name, value]) => item[name] === value));
}

describe('a client scoped to one environment', () => {
  it.each(LISTS)('reads only its own rows of %s.%s, with every form of the query', async (model, name, type) => {
    const mine = delegateOf(scoped, model);
    const { unique } = addressOf(model, own[model] ?? {});
    const forms = [true, { where: { OR: [{}, {}] } }];
    for (const list of forms) {
      for (const args of [{ include: { [name]: list } }, { select: { [name]: list } }]) {
        const row = (await mine.findUnique?.({ where: unique, ...args })) as unknown as Row;
        expect(holdsSibling(type, row[name])).toBe(false);
      }
    }
    const row = (await mine.findUnique?.({ where: unique, include: { [name]: true } })) as unknown as Row;
    for (const _count of [true, { select: { [name]: true } }]) {
      const counted = (await mine.findUnique?.({ where: unique, include: { _count } })) as unknown as { _count: Row };
      expect(counted._count[name]).toBe((row[name] as unknown[]).length);
    }
  });

  it('reads only its own rows of nested lists', async () => {
    const { id } = addressOf('Workspace', own.Workspace ?? {}).filter as { id: string };
    const lists = { conversations: { include: { logs: true } }, triggers: true } as const;
    const found = await scoped.workspace.findUniqueOrThrow({
      where: { id },
      include: {
        environments: { include: { conversations: true } },
        workflows: { include: { deployments: { include: lists } } },
      },
    });
    const deployments = found.workflows.flatMap(({ deployments }) => deployments);
    const conversations = [
      ...found.environments.flatMap((environment) => environment.conversations),
      ...deployments.flatMap((deployment) => deployment.conversations),
    ];
    expect(conversations.map((conversation) => conversation.id)).toEqual([own.Conversation?.id, own.Conversation?.id]);
    const logs = deployments.flatMap(({ conversations }) => conversations.flatMap(({ logs }) => logs));
    expect(logs.map((log) => log.id)).toEqual([own.WorkflowLog?.id]);
    expect(deployments.flatMap(({ triggers }) => triggers).map((trigger) => trigger.id)).toEqual([own.Trigger?.id]);
  });

  it('reads only its own rows of a list that it reads from a row', async () => {
    const where = { id: String(own.Deployment?.id) };
    const conversations = (await scoped.deployment.findUnique({ where }).conversations()) ?? [];
    expect(conversations.map(({ id }) => id)).toEqual([own.Conversation?.id]);
  });

  it('cannot change other rows with a nested write to its own row', async () => {
    const where = { id: String(own.Deployment?.id) };
    const keyOf = ({ Conversation }: Rows) =>
      rowKey({ id: String(Conversation?.environmentId) }, String(Conversation?.id));
    const foreign = keyOf(sibling);
    const nested = [
      { updateMany: { where: {}, data: { name: 'B' } } },
      { connect: foreign },
      { deleteMany: {} },
      { delete: foreign },
      { update: { where: foreign, data: { name: 'B' } } },
    ];
    for (const conversations of nested) {
      await expect(scoped.deployment.update({ where, data: { conversations } })).rejects.toThrow('separate call');
    }
    const deployment = { update: { name: 'B' } };
    await expect(scoped.conversation.update({ where: keyOf(own), data: { deployment } })).rejects.toThrow(
      'separate call',
    );
    expect(await database.prisma.conversation.findUnique({ where: foreign })).toMatchObject({ name: 'A' });
  });
});
