import type { OwnerConnection } from '../as-owner.ts';
import type { ForeignKey, Policy } from './catalog.ts';
import { DistributionError } from './server.ts';

// What Citus rejects, in the form that it takes. A database of one server keeps the shorter form.

/**
 * Citus has no ON DELETE SET NULL for some of the columns. A trigger of the referenced table does the same, before the key
 * is checked at the commit. The check is late for another reason too: Citus runs the parts of a WITH statement one after
 * another, and these keys refer to rows that a later part inserts.
 */
export async function addNullingKey(connection: OwnerConnection, key: ForeignKey): Promise<void> {
  const { table, name, target, columns, targetColumns, nullColumns } = key;
  await connection.query(
    `ALTER TABLE ${table} ADD CONSTRAINT ${name} FOREIGN KEY (${columns.join(', ')})
     REFERENCES ${target} (${targetColumns.join(', ')}) ON DELETE NO ACTION ON UPDATE NO ACTION DEFERRABLE INITIALLY DEFERRED`,
  );
  const assignments = nullColumns.map((column) => `${column} = NULL`).join(', ');
  const matches = columns.map((column, at) => `${column} = OLD.${targetColumns[at]}`).join(' AND ');
  await connection.query(
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $do$
     BEGIN
       UPDATE public.${table} SET ${assignments} WHERE ${matches};
       RETURN NULL;
     END $do$`,
  );
  await connection.query(`CREATE TRIGGER ${name} AFTER DELETE ON ${target} FOR EACH ROW EXECUTE FUNCTION ${name}()`);
}

const SUBQUERY =
  /^\(EXISTS \( SELECT FROM (?<other>\w+) (?<alias>\w+) WHERE \(\k<alias>\.(?<otherColumn>\w+) = (?<table>\w+)\.(?<column>\w+)\)\)\)$/;

/**
 * Citus takes no subquery in a policy, but it takes a function. Both tables are on every server, so the function reads the
 * rows of its own server, with their policies.
 */
export async function addPolicy(connection: OwnerConnection, { table, name, condition }: Policy): Promise<void> {
  const { other, otherColumn, column } = SUBQUERY.exec(condition)?.groups ?? {};
  if (!other || !otherColumn || !column) {
    throw new DistributionError(`The policy of ${table} cannot be distributed: ${condition}`);
  }
  const { rows } = await connection.query<{ readonly type: string }>(
    'SELECT atttypid::regtype::text AS type FROM pg_attribute WHERE attrelid = $1::regclass AND attname = $2',
    [other, otherColumn],
  );
  const type = rows[0]?.type;
  await connection.query(
    `CREATE OR REPLACE FUNCTION ${other}_is_visible(${type}) RETURNS boolean LANGUAGE sql STABLE
     SET citus.allow_nested_distributed_execution = on
     AS 'SELECT EXISTS (SELECT FROM public.${other} WHERE ${otherColumn} = $1)'`,
  );
  await connection.query(`CREATE POLICY ${name} ON ${table} USING (${other}_is_visible(${column}))`);
}

/**
 * Citus takes only immutable functions in RETURNING, and Prisma returns enums as text. PostgreSQL calls that cast stable,
 * because a label could be renamed. No migration renames one.
 */
export async function addEnumCast(connection: OwnerConnection, type: string): Promise<void> {
  const name = `text_of_${type.replaceAll('"', '')}`;
  await connection.query(
    `CREATE FUNCTION ${name}(${type}) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
     AS 'BEGIN RETURN concat($1); END'`,
  );
  await connection.query(`CREATE CAST (${type} AS text) WITH FUNCTION ${name}(${type}) AS ASSIGNMENT`);
}

/**
 * Columns whose default is a position in the event log. Citus would compute a default on the coordinator. The position must
 * come from the server of the row, because readers compare it with the open transactions of that server.
 */
const POSITIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  event: { xid: 'log_xid()' },
  webhook_endpoint: { position_xid: 'log_xmin()', since: 'log_snapshot()' },
};

/** Lets the server of a row compute its position. `conversation` has such a trigger already. */
export async function addPositions(connection: OwnerConnection, tables: readonly string[]): Promise<void> {
  for (const [table, columns] of Object.entries(POSITIONS)) {
    if (!tables.includes(table)) continue;
    const assignments = Object.entries(columns).map(([column, value]) => `NEW.${column} := ${value};`);
    await connection.query(
      `CREATE FUNCTION ${table}_positioned() RETURNS trigger LANGUAGE plpgsql AS $do$
       BEGIN
         ${assignments.join(' ')}
         RETURN NEW;
       END $do$`,
    );
    await connection.query(
      `CREATE TRIGGER ${table}_positioned BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION ${table}_positioned()`,
    );
  }
}

/**
 * Citus takes no volatile function in UPDATE, and would call it once for all rows. So the statement marks the rows, and a
 * trigger on the server of the row assigns the revision.
 */
export async function addRevisions(connection: OwnerConnection): Promise<void> {
  await connection.query(`CREATE OR REPLACE FUNCTION next_revision() RETURNS bigint LANGUAGE sql IMMUTABLE RETURN 0`);
  await connection.query(
    `CREATE FUNCTION timeline_item_revised() RETURNS trigger LANGUAGE plpgsql AS $do$
     BEGIN
       IF NEW.revision = 0 THEN NEW.revision := nextval('public.timeline_revision'); END IF;
       RETURN NEW;
     END $do$`,
  );
  await connection.query(
    `CREATE TRIGGER timeline_item_revised BEFORE INSERT OR UPDATE ON timeline_item
     FOR EACH ROW EXECUTE FUNCTION timeline_item_revised()`,
  );
}

/** Lets Citus create the sequence of revisions on every server: it follows the defaults of the columns. */
export async function useSequences(connection: OwnerConnection): Promise<void> {
  await connection.query(`ALTER TABLE timeline_item ALTER COLUMN revision SET DEFAULT nextval('timeline_revision')`);
}

/**
 * The coordinator computes the time before a statement waits for a lock on a worker, so the replacement adds the longest
 * wait: a lease that another process took during the wait must not look too long.
 */
export async function replaceClock(connection: OwnerConnection): Promise<void> {
  await connection.query(
    `CREATE OR REPLACE FUNCTION lease_clock() RETURNS timestamptz LANGUAGE plpgsql STABLE
     AS 'BEGIN RETURN clock_timestamp() + interval ''1 minute''; END'`,
  );
}
