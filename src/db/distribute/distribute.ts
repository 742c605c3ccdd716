import type { OwnerConnection } from '../as-owner.ts';
import type { Database } from '../database.ts';
import { DISTRIBUTION_COLUMN, LOCAL_TABLES } from '../distribution.ts';
import {
  type ForeignKey,
  readEnums,
  readForeignIndexes,
  readForeignKeys,
  readMissing,
  readPolicies,
  readTriggers,
} from './catalog.ts';
import {
  addEnumCast,
  addNullingKey,
  addPolicy,
  addPositions,
  addRevisions,
  replaceClock,
  useSequences,
} from './replacements.ts';
import { checkRows, checkServer, prepareRoles, prepareSettings } from './server.ts';

/** What the command changed. Names are quoted for SQL. */
export interface DistributionReport {
  readonly reference: readonly string[];
  readonly distributed: readonly string[];
  /** Foreign keys of tables that stay on the coordinator: Citus would distribute these tables too. */
  readonly droppedKeys: readonly string[];
  /** Unique indexes that only statements of the previous release need. */
  readonly droppedIndexes: readonly string[];
}

/** The key of the advisory lock that prevents parallel calls. */
const DISTRIBUTION_LOCK = 7_275_540;

/**
 * Distributes the tables of a migrated database over the servers of Citus, as `distribution.ts` says. One transaction: a
 * failure changes nothing but roles and settings. It can run again, and then distributes what later migrations have created.
 * @throws {DistributionError} if the server is not suitable
 */
export function distribute(database: Database, shards: number): Promise<DistributionReport> {
  return database.asOwner(async (connection) => {
    await checkServer(connection);
    await prepareRoles(connection);
    await prepareSettings(connection);
    await connection.query('BEGIN');
    try {
      await connection.query('SELECT pg_advisory_xact_lock($1)', [DISTRIBUTION_LOCK]);
      const report = await distributeMissing(connection, shards);
      await connection.query('COMMIT');
      return report;
    } catch (error) {
      await connection.query('ROLLBACK').catch(() => {});
      throw error;
    }
  });
}

async function distributeMissing(connection: OwnerConnection, shards: number): Promise<DistributionReport> {
  for (const type of await readEnums(connection)) await addEnumCast(connection, type);
  const { reference, distributed } = await readMissing(connection);
  if (distributed.includes('event')) await checkRows(connection);
  const tables = [...reference, ...distributed];
  const keys = await readForeignKeys(connection, tables);
  const triggers = await readTriggers(connection, tables);
  const policies = await readPolicies(connection, tables);
  const droppedIndexes = await readForeignIndexes(connection, distributed);

  // Keys between the tables have cycles, so no order of the tables would satisfy them.
  for (const { table, name } of keys) await connection.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  for (const { table, name } of triggers) await connection.query(`DROP TRIGGER ${name} ON ${table}`);
  for (const { table, name } of policies) await connection.query(`DROP POLICY ${name} ON ${table}`);
  for (const name of droppedIndexes) await connection.query(`DROP INDEX ${name}`);

  const hasTimeline = distributed.includes('timeline_item');
  if (hasTimeline) await useSequences(connection);
  await createTables(connection, reference, distributed, shards);

  for (const { definition } of triggers) await connection.query(definition);
  await addPositions(connection, distributed);
  if (hasTimeline) await addRevisions(connection);
  await replaceClock(connection);
  for (const policy of policies) await addPolicy(connection, policy);
  for (const key of keys) if (!isLocal(key)) await addKey(connection, key);
  return {
    reference,
    distributed,
    droppedKeys: keys.filter(isLocal).map(({ table, name }) => `${table}.${name}`),
    droppedIndexes,
  };
}

/** All shards of an environment are on one server, because all tables have the same colocation group. */
async function createTables(
  connection: OwnerConnection,
  reference: readonly string[],
  distributed: readonly string[],
  shards: number,
): Promise<void> {
  // Foreign keys to reference tables need one connection for each worker.
  await connection.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
  await connection.query('SET LOCAL citus.enable_unsafe_triggers = on');
  await connection.query(`SET LOCAL citus.shard_count = ${shards}`);
  for (const table of reference) await connection.query('SELECT create_reference_table($1)', [`public."${table}"`]);
  const { rows } = await connection.query<{ readonly name: string }>(
    `SELECT logicalrelid::text AS name FROM pg_dist_partition WHERE partmethod = 'h' LIMIT 1`,
  );
  let group = rows[0]?.name ?? 'none';
  for (const table of distributed) {
    const name = `public."${table}"`;
    await connection.query('SELECT create_distributed_table($1, $2, colocate_with => $3)', [
      name,
      DISTRIBUTION_COLUMN,
      group,
    ]);
    group = name;
  }
}

const isLocal = ({ table }: ForeignKey) => LOCAL_TABLES.some((local) => local === table);

async function addKey(connection: OwnerConnection, key: ForeignKey): Promise<void> {
  if (key.nullColumns.length > 0 && key.columns.includes(DISTRIBUTION_COLUMN)) return addNullingKey(connection, key);
  await connection.query(`ALTER TABLE ${key.table} ADD CONSTRAINT ${key.name} ${key.definition}`);
}
