import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { AUDIT_LOG, partitionName, periodAt, startOf, WORKFLOW_LOG } from '../../src/db/partitions/periods.ts';
import type { EnvironmentRef } from '../../src/db/scope.ts';
import { createEveryRow, makeTenant } from '../support/all-models.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { asOwner, inPeriod, maintainAt, partitionsOf, writeLogs } from '../support/partitions.ts';

let copy: TestDatabase;
let database: Database;
let own: EnvironmentRef;
let sibling: EnvironmentRef;
beforeEach(async () => {
  copy = await createDatabase();
  database = await openDatabase(copy.location);
  const tenant = await makeTenant(database.prisma);
  [own, sibling] = [tenant.live, tenant.test];
  for (const environment of [own, sibling]) await createEveryRow(database.prisma, environment);
});
afterEach(async () => {
  await database.close();
  await copy.drop();
});

const DAY_MS = 86_400_000;

/** The time `days` days after the end of the period that is `later` periods after the current one. */
const afterPeriod = (log: typeof AUDIT_LOG, later: number, days: number) =>
  new Date(startOf(log, periodAt(log, inPeriod(log, later)) + 1).getTime() + days * DAY_MS);

const namesOf = async (log: typeof AUDIT_LOG) => (await partitionsOf(database, log)).map(({ name }) => name);

const nameOf = (log: typeof AUDIT_LOG, later: number) => partitionName(log, periodAt(log, inPeriod(log, later)));

/** Fills the current period and the next one. */
async function fillPeriods(log: typeof AUDIT_LOG, environments: readonly EnvironmentRef[]): Promise<void> {
  for (const later of [0, 1]) {
    await maintainAt(database, inPeriod(log, later));
    for (const environment of environments) await writeLogs(database, environment, inPeriod(log, later));
  }
}

const setRetention = (environment: EnvironmentRef, days: number | null) =>
  asOwner(
    database,
    `INSERT INTO retention (environment_id, days, next_sweep_at) VALUES ($1, $2, now())
     ON CONFLICT (environment_id) DO UPDATE SET days = excluded.days`,
    [environment.id, days],
  );

/** What the deletion of their conversations leaves of the lines. */
const forgetConversations = () => asOwner(database, 'UPDATE workflow_log SET conversation_id = NULL, run_id = NULL');

describe('the audit log', () => {
  it('keeps everything without AUDIT_LOG_DAYS', async () => {
    await fillPeriods(AUDIT_LOG, [own]);
    await maintainAt(database, afterPeriod(AUDIT_LOG, 1, 3_650));
    expect(await namesOf(AUDIT_LOG)).toEqual(
      expect.arrayContaining(['audit_entry_first', nameOf(AUDIT_LOG, 0), nameOf(AUDIT_LOG, 1)]),
    );
  });

  it('loses each month when its last entry is older than AUDIT_LOG_DAYS', async () => {
    await fillPeriods(AUDIT_LOG, [own]);
    // The rows of the first partition are of now, which can be the last day of the month.
    await maintainAt(database, afterPeriod(AUDIT_LOG, 0, 9.99999), 10);
    expect((await namesOf(AUDIT_LOG))[0]).toBe(nameOf(AUDIT_LOG, 0));
    const lines = await maintainAt(database, afterPeriod(AUDIT_LOG, 0, 11), 10);
    expect(lines).toContainEqual({
      message: 'dropped partitions of a log: all rows were older than its retention',
      facts: { partitions: [nameOf(AUDIT_LOG, 0)] },
    });
    expect((await namesOf(AUDIT_LOG))[0]).toBe(nameOf(AUDIT_LOG, 1));
    const left = await asOwner<{ at: Date }>(database, 'SELECT occurred_at AS at FROM audit_entry');
    expect(left).toEqual([{ at: inPeriod(AUDIT_LOG, 1) }]);
    expect(await asOwner(database, `SELECT to_regclass('${nameOf(AUDIT_LOG, 0)}') AS found`)).toEqual([
      { found: null },
    ]);
    const { audit_entry: id } = await writeLogs(database, own);
    expect(await asOwner(database, 'SELECT id FROM audit_entry WHERE id = $1', [id])).toEqual([{ id: String(id) }]);
  });

  it('keeps a month with an entry that was written late', async () => {
    await fillPeriods(AUDIT_LOG, [own]);
    await asOwner(
      database,
      `INSERT INTO audit_entry (id, workspace_id, action, actor_kind, details, request_id, occurred_at)
       SELECT id + 7, workspace_id, action, actor_kind, details, request_id, $1 FROM ${nameOf(AUDIT_LOG, 0)}`,
      [afterPeriod(AUDIT_LOG, 0, 2)],
    );
    await maintainAt(database, afterPeriod(AUDIT_LOG, 0, 11), 10);
    expect((await namesOf(AUDIT_LOG))[0]).toBe(nameOf(AUDIT_LOG, 0));
    await maintainAt(database, afterPeriod(AUDIT_LOG, 0, 13), 10);
    expect((await namesOf(AUDIT_LOG))[0]).toBe(nameOf(AUDIT_LOG, 1));
  });
});

describe('the workflow log', () => {
  const late = () => afterPeriod(WORKFLOW_LOG, 0, 401);

  it('loses a quarter when every environment would delete all of its lines', async () => {
    for (const environment of [own, sibling]) await setRetention(environment, 30);
    await fillPeriods(WORKFLOW_LOG, [own, sibling]);
    await forgetConversations();
    await maintainAt(database, afterPeriod(WORKFLOW_LOG, 0, 399));
    expect((await namesOf(WORKFLOW_LOG))[0]).toBe(nameOf(WORKFLOW_LOG, 0));
    await maintainAt(database, late());
    expect((await namesOf(WORKFLOW_LOG))[0]).toBe(nameOf(WORKFLOW_LOG, 1));
    const left = await asOwner(database, 'SELECT DISTINCT created_at AS at FROM workflow_log');
    expect(left).toEqual([{ at: inPeriod(WORKFLOW_LOG, 1) }]);
  });

  it.each([
    ['has no time limit', null],
    ['keeps lines for longer', 3_650],
  ])('keeps a quarter with a line of an environment that %s', async (_does, days) => {
    await setRetention(own, 30);
    await setRetention(sibling, days);
    await fillPeriods(WORKFLOW_LOG, [own, sibling]);
    await forgetConversations();
    await maintainAt(database, late());
    expect(await namesOf(WORKFLOW_LOG)).toEqual(
      expect.arrayContaining(['workflow_log_first', nameOf(WORKFLOW_LOG, 0)]),
    );
    const kept = await asOwner<{ count: number }>(database, 'SELECT count(*)::int AS count FROM workflow_log');
    await setRetention(sibling, 30);
    await maintainAt(database, late());
    expect(kept).toEqual([{ count: 6 }]);
    expect((await namesOf(WORKFLOW_LOG))[0]).toBe(nameOf(WORKFLOW_LOG, 1));
  });

  it('keeps a quarter with a line of an environment without settings', async () => {
    await fillPeriods(WORKFLOW_LOG, [own, sibling]);
    await forgetConversations();
    await asOwner(database, 'DELETE FROM retention WHERE environment_id = $1', [own.id]);
    await setRetention(sibling, 30);
    await maintainAt(database, late());
    expect((await namesOf(WORKFLOW_LOG))[0]).toBe('workflow_log_first');
  });

  it('keeps a quarter with a line whose conversation exists', async () => {
    for (const environment of [own, sibling]) await setRetention(environment, 30);
    await fillPeriods(WORKFLOW_LOG, [own, sibling]);
    await maintainAt(database, late());
    expect((await namesOf(WORKFLOW_LOG))[0]).toBe('workflow_log_first');
  });

  it('empties the references of triggers to dropped lines, and no others', async () => {
    for (const environment of [own, sibling]) await setRetention(environment, 30);
    await fillPeriods(WORKFLOW_LOG, [own, sibling]);
    await forgetConversations();
    const { workflow_log: kept } = await writeLogs(database, sibling);
    await asOwner(database, 'UPDATE workflow_log SET conversation_id = NULL');
    await asOwner(database, 'UPDATE trigger SET workflow_log_id = $1 WHERE environment_id = $2', [kept, sibling.id]);
    await maintainAt(database, late());
    const references = await asOwner(
      database,
      'SELECT environment_id AS environment, workflow_log_id AS line FROM trigger WHERE environment_id = ANY ($1)',
      [[own.id, sibling.id]],
    );
    expect(references).toEqual(
      expect.arrayContaining([
        { environment: own.id, line: null },
        { environment: sibling.id, line: String(kept) },
      ]),
    );
  });
});
