import type { OwnerConnection } from '../as-owner.ts';
import { SERVICE_ROLE } from '../session.ts';

/** The database cannot be distributed. The message says what to do. */
export class DistributionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DistributionError';
  }
}

/** Citus 12 and earlier were not tried. */
const OLDEST_CITUS = 13;

interface ServerRow {
  readonly version: string | null;
}

interface NodeRow {
  readonly isCoordinator: boolean;
  readonly hasCoordinator: boolean;
  readonly workers: number;
}

/** @throws {DistributionError} if the server is no coordinator of Citus with workers */
export async function checkServer(connection: OwnerConnection): Promise<void> {
  if (connection.embedded) {
    throw new DistributionError(
      'The embedded database cannot be distributed. Set DATABASE_URL to a server with Citus.',
    );
  }
  const { rows } = await connection.query<ServerRow>(
    `SELECT (SELECT extversion FROM pg_extension WHERE extname = 'citus') AS version`,
  );
  const version = rows[0]?.version;
  if (!version) {
    throw new DistributionError(
      'The database has no Citus. Install Citus on every server, and run CREATE EXTENSION citus in this database there.',
    );
  }
  if (Number.parseInt(version, 10) < OLDEST_CITUS) {
    throw new DistributionError(`Parley needs Citus ${OLDEST_CITUS} or later. The server has Citus ${version}.`);
  }
  await checkNodes(connection);
}

/** @throws {DistributionError} if rows have positions in the log of the coordinator. Those of workers could be lower */
export async function checkRows(connection: OwnerConnection): Promise<void> {
  const { rows } = await connection.query<{ readonly found: boolean }>(
    'SELECT EXISTS (SELECT FROM conversation) OR EXISTS (SELECT FROM event) AS found',
  );
  if (!rows[0]?.found) return;
  throw new DistributionError(
    'The database has conversations or events, and the order of its log belongs to this server. Distribute a new database.',
  );
}

async function checkNodes(connection: OwnerConnection): Promise<void> {
  const { rows } = await connection.query<NodeRow>(`
    SELECT citus_is_coordinator() AS "isCoordinator",
           count(*) FILTER (WHERE groupid = 0) > 0 AS "hasCoordinator",
           count(*) FILTER (WHERE groupid <> 0 AND isactive AND noderole = 'primary')::int AS workers
    FROM pg_dist_node`);
  const [nodes] = rows;
  if (!nodes?.isCoordinator) {
    throw new DistributionError('DATABASE_URL names a worker of Citus. Set it to the coordinator.');
  }
  if (!nodes.hasCoordinator) {
    throw new DistributionError(
      "Citus does not know the address of its coordinator. Run SELECT citus_set_coordinator_host('HOST', PORT) there.",
    );
  }
  if (nodes.workers === 0) {
    throw new DistributionError("Citus has no worker. Run SELECT citus_add_node('HOST', PORT) on the coordinator.");
  }
}

/**
 * Citus connects to a worker as the current role of a statement. So the role of the service must exist there, and be allowed
 * to log in. It has no password: the workers' pg_hba.conf decides how the coordinator authenticates.
 */
const PREPARE_ROLE = `
  DO $do$
  BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${SERVICE_ROLE}') THEN CREATE ROLE ${SERVICE_ROLE}; END IF;
    ALTER ROLE ${SERVICE_ROLE} LOGIN;
    GRANT pg_read_all_data, pg_write_all_data TO ${SERVICE_ROLE};
  END
  $do$`;

/** Prepares the role of the service on all servers. */
export async function prepareRoles(connection: OwnerConnection): Promise<void> {
  await connection.query(PREPARE_ROLE);
  const { rows } = await connection.query<{ readonly server: string; readonly result: string }>(
    `SELECT nodename || ':' || nodeport AS server, result FROM run_command_on_workers($1) WHERE NOT success`,
    [PREPARE_ROLE],
  );
  if (rows[0]) throw new DistributionError(`The worker ${rows[0].server} cannot create a role: ${rows[0].result}`);
}

/**
 * Settings of the database. SET LOCAL reaches the workers, whose policies read it. Partitions and migrations can create
 * triggers: they read and write only rows of the environment of their own row.
 */
export async function prepareSettings(connection: OwnerConnection): Promise<void> {
  await connection.query(`
    DO $do$
    BEGIN
      EXECUTE format('ALTER DATABASE %I SET citus.propagate_set_commands = ''local''', current_database());
      EXECUTE format('ALTER DATABASE %I SET citus.enable_unsafe_triggers = on', current_database());
    END
    $do$`);
}
