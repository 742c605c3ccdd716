import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import type { EnvironmentRef } from '../../src/db/scope.ts';
import { type ScopedDb, scopedDb, withoutRowSecurity } from '../../src/db/scoped.ts';
import {
  addressOf,
  createEveryRow,
  delegateOf,
  MODELS,
  makeTenant,
  ownerOf,
  type Row,
  type Rows,
} from '../support/all-models.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { VARIATIONS } from '../support/model-variations.ts';

let copy: TestDatabase;
let database: Database;
let own: EnvironmentRef;
let other: EnvironmentRef;
let scoped: ScopedDb;
/** Rows of the caller, of the other environment of its workspace, and of another workspace. */
const rows: { own: Rows; sibling: Rows; foreign: Rows } = { own: {}, sibling: {}, foreign: {} };

beforeAll(async () => {
  copy = await createDatabase();
  database = await openDatabase(copy.location);
  const tenant = await makeTenant(database.prisma);
  own = tenant.live;
  other = (await makeTenant(database.prisma)).live;
  scoped = scopedDb(database.prisma, own);
  rows.own = await createEveryRow(database.prisma, own);
  rows.sibling = await createEveryRow(database.prisma, tenant.test);
  rows.foreign = await createEveryRow(database.prisma, other);
});
afterAll(async () => {
  await database.close();
  await copy.drop();
});

type Outside = 'sibling' | 'foreign';

/** Both environments of a workspace can read the rows of the workspace. */
function outsidersOf(model: string): readonly Outside[] {
  return ownerOf(model) === 'environmentId' ? ['sibling', 'foreign'] : ['foreign'];
}

/** A copy of the caller's row with new unique values, and with another tenant as its owner. */
function draftOf(model: string): Row {
  const owner = ownerOf(model);
  const ids = { environmentId: other.id, workspaceId: other.workspaceId };
  const set = Object.entries({ ...rows.own[model], ...VARIATIONS[model]?.fresh?.() }).filter(
    ([, value]) => value != null,
  );
  return { ...Object.fromEntries(set), ...(owner && { [owner]: ids[owner] }) };
}

/** Its own conditions must suffice, because some lists are read without row-level security. */
const CLIENTS: readonly [string, () => ScopedDb][] = [
  ['a client scoped to one environment', () => scoped],
  ['a client without row-level security', () => withoutRowSecurity(scoped)],
];

for (const model of MODELS) {
  for (const outside of outsidersOf(model)) {
    describe.each(CLIENTS)(
      `%s, on a ${model} row of ${outside === 'sibling' ? 'the other environment' : 'another workspace'}`,
      (_name, client) => {
        let mine: ReturnType<typeof delegateOf>;
        let filter: Row;
        let unique: Row;
        let before: unknown;
        const all = () => delegateOf(database.prisma, model);
        const { change } = VARIATIONS[model] ?? { change: {} };

        beforeEach(async () => {
          ({ filter, unique } = addressOf(model, rows[outside][model] ?? {}));
          mine = delegateOf(client(), model);
          before = await all().findUniqueOrThrow?.({ where: unique });
        });
        const expectUnchanged = async () => expect(await all().findUniqueOrThrow?.({ where: unique })).toEqual(before);

        it('does not read it', async () => {
          const either = { OR: [filter, { NOT: filter }], NOT: { AND: [{ NOT: filter }] } };
          for (const where of [filter, { AND: [either] }]) {
            expect(await mine.findMany?.({ where })).toEqual([]);
            expect(await mine.findFirst?.({ where })).toBeNull();
            await expect(mine.findFirstOrThrow?.({ where })).rejects.toMatchObject({ code: 'P2025' });
            expect(await mine.count?.({ where })).toBe(0);
            expect(await mine.aggregate?.({ where, _count: true })).toEqual({ _count: 0 });
            expect(await mine.groupBy?.({ by: Object.keys(filter), where })).toEqual([]);
          }
          expect(await mine.findUnique?.({ where: unique })).toBeNull();
          await expect(mine.findUniqueOrThrow?.({ where: unique })).rejects.toMatchObject({ code: 'P2025' });
          expect(await mine.findMany?.()).not.toContainEqual(expect.objectContaining(filter));
        });

        it('does not change it', async () => {
          await expect(mine.update?.({ where: unique, data: change })).rejects.toMatchObject({ code: 'P2025' });
          expect(await mine.updateMany?.({ where: filter, data: change })).toEqual({ count: 0 });
          expect(await mine.updateManyAndReturn?.({ where: filter, data: change })).toEqual([]);
          await expectUnchanged();
        });

        it('does not change it by an upsert', async () => {
          const upserted = mine.upsert?.({ where: unique, update: change, create: draftOf(model) });
          await upserted?.catch(() => undefined);
          await expectUnchanged();
        });

        it('does not delete it', async () => {
          await expect(mine.delete?.({ where: unique })).rejects.toMatchObject({ code: 'P2025' });
          expect(await mine.deleteMany?.({ where: filter })).toEqual({ count: 0 });
          await expectUnchanged();
        });
      },
    );
  }
}

describe('a client scoped to one environment', () => {
  it('is tested with every model', () => {
    expect(MODELS.filter((model) => !rows.own[model] || !VARIATIONS[model])).toEqual([]);
  });

  it.each(MODELS)('reads its own %s row', async (model) => {
    const { filter, unique } = addressOf(model, rows.own[model] ?? {});
    expect(await delegateOf(scoped, model).findUnique?.({ where: unique })).toMatchObject(filter);
    expect(await delegateOf(scoped, model).findMany?.()).toContainEqual(expect.objectContaining(filter));
  });

  const creatable = MODELS.filter((model) => VARIATIONS[model]?.fresh);
  it.each(creatable)('sets its own tenant as the owner of a new %s row', async (model) => {
    const mine = delegateOf(scoped, model);
    const owner = ownerOf(model) ?? '';
    const expected = owner === 'environmentId' ? own.id : own.workspaceId;
    const count = () => delegateOf(database.prisma, model).count?.({ where: { NOT: { [owner]: expected } } });
    const before = await count();
    expect(await mine.create?.({ data: draftOf(model) })).toMatchObject({ [owner]: expected });
    expect(await mine.createMany?.({ data: [draftOf(model), draftOf(model)] })).toEqual({ count: 2 });
    expect(await mine.createMany?.({ data: draftOf(model) })).toEqual({ count: 1 });
    const [row] = ((await mine.createManyAndReturn?.({ data: [draftOf(model)] })) ?? []) as Row[];
    expect(row).toMatchObject({ [owner]: expected });
    expect(await count()).toBe(before);
  });

  it.each([
    'AuthorizationRecord',
    'Workspace',
    'User',
    'PasswordReset',
    'SecondFactor',
    'RecoveryCode',
    'RegisteredApp',
    'WorkflowVersion',
  ])('creates no %s row, because these rows have no owner column', async (model) => {
    await expect(delegateOf(scoped, model).create?.({ data: rows.foreign[model] ?? {} })).rejects.toThrow(
      'cannot create',
    );
  });

  it.each(MODELS.filter((model) => ownerOf(model)))('moves no %s row to another tenant', async (model) => {
    const owner = ownerOf(model) ?? '';
    const { filter, unique } = addressOf(model, rows.own[model] ?? {});
    const data = { [owner]: owner === 'environmentId' ? other.id : other.workspaceId };
    const mine = delegateOf(scoped, model);
    await expect(mine.update?.({ where: unique, data })).rejects.toThrow('cannot be changed');
    await expect(mine.updateMany?.({ where: filter, data })).rejects.toThrow('cannot be changed');
    await expect(mine.upsert?.({ where: unique, update: data, create: {} })).rejects.toThrow('cannot be changed');
    expect(await mine.findUnique?.({ where: unique })).toMatchObject(filter);
  });

  it('stays scoped inside a transaction', async () => {
    const ids = await scoped.$transaction(async (tx) =>
      (await tx.resource.findMany()).map(({ environmentId }) => environmentId),
    );
    expect(new Set(ids)).toEqual(new Set([own.id]));
  });
});
