import pg from 'pg';
import { Prisma } from './generated/client.ts';
import type { EnvironmentRef } from './scope.ts';
import { environmentScope, type Guard, type Scope, SYSTEM_SCOPE } from './scope.ts';
import { guardedError, sendScoped } from './scoped-pool.ts';
import { guardOf } from './scoped-query.ts';
import { Ids, SharedReads, type SharedValue } from './shared-reads.ts';
import { dateOf } from './timestamp.ts';
import type { Transaction } from './transaction.ts';

/**
 * Hand-written SQL as tagged templates. The values become parameters. Statements go directly to the driver, because
 * Prisma's client uses several times its CPU time. Rows have the column names of the database, and an int8 is a bigint.
 * Each statement must have its own condition on `environment_id`.
 */
export interface Sql {
  /** Runs the statement and returns its rows. */
  rows<Row extends object>(text: TemplateStringsArray, ...values: readonly unknown[]): Promise<Row[]>;
  /**
   * The rows of a query that changes nothing. Equal queries of the same moment share one statement and its rows, so callers
   * must not change them. Inside of a transaction it is the same as `rows`.
   */
  read<Row extends object>(
    text: TemplateStringsArray,
    ...values: readonly (Prisma.Sql | SharedValue)[]
  ): Promise<Row[]>;
  /** Runs the statement and returns the number of changed rows. */
  execute(text: TemplateStringsArray, ...values: readonly unknown[]): Promise<number>;
}

/** Hand-written SQL that sees all tenants. */
export interface SystemSql extends Sql {
  /**
   * SQL that sees only the rows of one environment and of its workspace. Row-level security enforces it. The guard is a
   * condition of its writes.
   */
  within(environment: EnvironmentRef, guard?: Guard): Sql;
}

/** Returns the name of the prepared statement for a text in a scope, or an empty string if it is not prepared. */
export type StatementNames = (text: string, scope: Scope | undefined) => string;

/** Runs statements outside of transactions. `scopeFor` returns the form of a scope that the connections need. */
export function systemSql(
  pool: pg.Pool,
  nameOf: StatementNames,
  onStatement: ((text: string) => void) | undefined,
  scopeFor: (scope: Scope) => Scope,
): SystemSql {
  const shared = new SharedReads();
  const sql = (given: Scope): Sql => {
    const scope = scopeFor(given);
    const send = ({ text, values }: Statement, guard = guardOf(scope, text)) => {
      onStatement?.(text);
      const config = { name: nameOf(text, scope), text, values, types: TYPES, keepsFormat: true };
      const sent: Promise<pg.QueryResult<object>> = sendScoped(pool, config, scope, guard);
      if (!guard) return sent;
      return sent.catch((error: unknown) => {
        throw guardedError(error, guard);
      });
    };
    return {
      rows: async <Row extends object>(text: TemplateStringsArray, ...values: readonly unknown[]) =>
        (await send(statementOf(text, values))).rows as Row[],
      read: <Row extends object>(text: TemplateStringsArray, ...values: readonly unknown[]) => {
        const statement = statementOf(text, values);
        const kind = `${scope.kind} ${scope.values} ${statement.text}`;
        return shared.rows(kind, statement.values, async (values) => {
          return (await send({ text: statement.text, values })).rows;
        }) as Promise<Row[]>;
      },
      execute: async (text, ...values) => (await send(statementOf(text, values))).rowCount ?? 0,
    };
  };
  return { ...sql(SYSTEM_SCOPE), within: (environment, guard) => sql(environmentScope(environment, guard)) };
}

/** The texts of statements without parts of SQL: they are the same at each call. */
const texts = new WeakMap<TemplateStringsArray, string>();

interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

function statementOf(strings: TemplateStringsArray, parts: readonly unknown[]): Statement {
  const isFixed = !parts.some((part) => part instanceof Prisma.Sql);
  const known = isFixed ? texts.get(strings) : undefined;
  if (known !== undefined) return { text: known, values: [...parts] };
  const { text, values } = Prisma.sql(strings, ...parts);
  if (isFixed) texts.set(strings, text);
  return { text, values };
}

/** Runs statements inside a transaction. */
export function sqlIn(tx: Pick<Transaction, '$queryRaw' | '$executeRaw'>): Sql {
  const rows = <Row extends object>(text: TemplateStringsArray, ...values: readonly unknown[]) =>
    tx.$queryRaw<Row[]>(text, ...values);
  return {
    rows,
    read: (text, ...values) => rows(text, ...values.map((value) => (value instanceof Ids ? value.ids : value))),
    execute: (text, ...values) => tx.$executeRaw(text, ...values),
  };
}

const { INT8, TIMESTAMPTZ } = pg.types.builtins;

/** By default the driver returns int8 as text, and parses dates three times slower than `Date` does. Columns have milliseconds. */
const PARSERS = new Map<number, (text: string) => unknown>([
  [INT8, BigInt],
  [TIMESTAMPTZ, dateOf],
]);

const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format as 'text'),
};
