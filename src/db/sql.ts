import pg from 'pg';
import { Prisma } from './generated/client.ts';
import type { EnvironmentRef } from './scope.ts';
import { environmentScope, type Scope, SYSTEM_SCOPE } from './scope.ts';
import { ScopedQuery } from './scoped-query.ts';
import type { Transaction } from './transaction.ts';

/**
 * Hand-written SQL as tagged templates. The values become parameters. Statements go directly to the driver, because
 * Prisma's client uses several times its CPU time. Rows have the column names of the database, and an int8 is a bigint.
 * Each statement must have its own condition on `environment_id`.
 */
export interface Sql {
  /** Runs the statement and returns its rows. */
  rows<Row extends object>(text: TemplateStringsArray, ...values: readonly unknown[]): Promise<Row[]>;
  /** Runs the statement and returns the number of changed rows. */
  execute(text: TemplateStringsArray, ...values: readonly unknown[]): Promise<number>;
}

/** Hand-written SQL that sees all tenants. */
export interface SystemSql extends Sql {
  /** SQL that sees only the rows of one environment and of its workspace. Row-level security enforces it. */
  within(environment: EnvironmentRef): Sql;
}

/** Returns the name of the prepared statement for a text in a scope, or an empty string if it is not prepared. */
export type StatementNames = (text: string, scope: Scope | undefined) => string;

/** Runs statements outside of transactions. */
export function systemSql(pool: pg.Pool, nameOf: StatementNames, onStatement?: (text: string) => void): SystemSql {
  const sql = (scope: Scope): Sql => {
    const run = (strings: TemplateStringsArray, parts: readonly unknown[]) => {
      const { text, values } = Prisma.sql(strings, ...parts);
      onStatement?.(text);
      const query = new ScopedQuery({ name: nameOf(text, scope), text, values, types: TYPES }, scope);
      return pool.query(query) as unknown as Promise<pg.QueryResult<object>>;
    };
    return {
      rows: async <Row extends object>(text: TemplateStringsArray, ...values: readonly unknown[]) =>
        (await run(text, values)).rows as Row[],
      execute: async (text, ...values) => (await run(text, values)).rowCount ?? 0,
    };
  };
  return { ...sql(SYSTEM_SCOPE), within: (environment) => sql(environmentScope(environment)) };
}

/** Runs statements inside a transaction. */
export function sqlIn(tx: Pick<Transaction, '$queryRaw' | '$executeRaw'>): Sql {
  return {
    rows: <Row extends object>(text: TemplateStringsArray, ...values: readonly unknown[]) =>
      tx.$queryRaw<Row[]>(text, ...values),
    execute: (text, ...values) => tx.$executeRaw(text, ...values),
  };
}

const { INT8, TIMESTAMPTZ } = pg.types.builtins;

/** By default the driver returns int8 as text, and parses dates three times slower than `Date` does. */
const PARSERS = new Map<number, (text: string) => unknown>([
  [INT8, BigInt],
  [TIMESTAMPTZ, (text) => new Date(text)],
]);

const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format as 'text'),
};
