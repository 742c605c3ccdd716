import type pg from 'pg';
import { markPropagating } from './propagation.ts';
import { PREPARATION, SESSION_SETTINGS } from './scope.ts';
import type { SystemSql } from './sql.ts';

const NIL = '00000000-0000-0000-0000-000000000000';

/** The role of all sessions. The policies apply to it, because it does not own the tables and is not a superuser. */
export const SERVICE_ROLE = 'parley_service';

/** Whether the connected user can switch to the role, and whether the role can read and write. */
const ROLE_QUERY = `
  SELECT pg_has_role(oid, 'MEMBER') AS is_member,
         pg_has_role(oid, 'pg_read_all_data', 'USAGE') AND pg_has_role(oid, 'pg_write_all_data', 'USAGE') AS has_data,
         rolsuper OR rolbypassrls AS bypasses
  FROM pg_roles WHERE rolname = '${SERVICE_ROLE}'`;

interface RoleRow {
  readonly is_member: boolean;
  readonly has_data: boolean;
  readonly bypasses: boolean;
}

/**
 * The predefined roles need no grants in the database, so a dump does not depend on the role. Some users are not allowed
 * to grant them.
 */
const CREATE_ROLE = [
  `CREATE ROLE ${SERVICE_ROLE} NOLOGIN`,
  `GRANT pg_read_all_data, pg_write_all_data TO ${SERVICE_ROLE}`,
  `GRANT ${SERVICE_ROLE} TO current_user`,
];

/** Used if the role lacks the predefined roles. The default privileges cover tables of later migrations. */
const GRANT_TABLES = [
  `GRANT USAGE ON SCHEMA public TO ${SERVICE_ROLE}`,
  `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${SERVICE_ROLE}`,
  `GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${SERVICE_ROLE}`,
  `ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${SERVICE_ROLE}`,
  `ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO ${SERVICE_ROLE}`,
];

/**
 * Sets up new connections: their settings, the statements of scopes, and the role. If the connected user cannot switch to
 * the role, row-level security has no effect, and `rowSecurityIsActive` returns false.
 */
export function sessionSetup(): (client: pg.ClientBase) => Promise<void> {
  let setup: Promise<Setup> | undefined;
  return async (client) => {
    setup ??= setupFor(client).catch((error: unknown) => {
      setup = undefined;
      throw error;
    });
    const { text, isDistributed } = await setup;
    if (isDistributed) markPropagating(client);
    await client.query(text);
  };
}

interface Setup {
  readonly text: string;
  readonly isDistributed: boolean;
}

async function setupFor(client: pg.ClientBase): Promise<Setup> {
  const role = await prepareRole(client);
  const setup = `${SESSION_SETTINGS}; ${PREPARATION}`;
  return {
    text: role === undefined ? setup : `${setup}; SET ROLE ${role}`,
    isDistributed: await sendsSettings(client),
  };
}

/** Whether the database is distributed: `distribute` sets that Citus sends settings to the workers. */
async function sendsSettings(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ mode: string | null }>(
    `SELECT current_setting('citus.propagate_set_commands', true) AS mode`,
  );
  return rows[0]?.mode === 'local';
}

/** Creates the role if it is missing. Returns its name, or undefined if the connected user cannot switch to it. */
export async function prepareRole(client: Pick<pg.ClientBase, 'query'>): Promise<string | undefined> {
  let role = await readRole(client);
  if (!role?.is_member || !role.has_data) {
    await tryStatements(client, CREATE_ROLE);
    role = await readRole(client);
  }
  if (!role?.is_member || role.bypasses) return undefined;
  if (!role.has_data) await tryStatements(client, GRANT_TABLES);
  return SERVICE_ROLE;
}

async function readRole(client: Pick<pg.ClientBase, 'query'>): Promise<RoleRow | undefined> {
  return (await client.query<RoleRow>(ROLE_QUERY)).rows[0];
}

/** Ignores errors: another process may run the same statements, or the user may lack the permission. */
async function tryStatements(client: Pick<pg.ClientBase, 'query'>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) {
    for (let tries = 0; tries < 3; tries += 1) {
      const error = await client.query(statement).catch((error: { readonly code?: string }) => error);
      if (!('code' in error) || error.code !== CONCURRENT_UPDATE) break;
    }
  }
}

/** PostgreSQL reports "tuple concurrently updated" as an internal error. */
const CONCURRENT_UPDATE = 'XX000';

/** Whether the policies apply to the statements of an environment. Needs the schema. */
export async function rowSecurityIsActive(sql: SystemSql): Promise<boolean> {
  const any = { id: NIL, workspaceId: NIL, kind: 'live' as const };
  const rows = await sql.within(any).rows<{ active: boolean }>`SELECT row_security_active('conversation') AS active`;
  return rows[0]?.active === true;
}
