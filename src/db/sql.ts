import pg from 'pg';
import { Prisma } from './generated/client.ts';
import type { Transaction } from './transaction.ts';

/**
 * Hand-written SQL, given as tagged templates whose values become parameters. It goes to the driver itself, because
 * Prisma's client takes several times the CPU time that the driver does; a row has the database's column names, and an
 * int8 is a bigint. Nothing narrows it to an environment: each statement names `environment_id` itself.
 */
export interface Sql {
  /** The rows that the statement answers. */
  rows<Row extends object>(text: TemplateStringsArray, ...values: readonly unknown[]): Promise<Row[]>;
  /** How many rows the statement changed. */
  changed(text: TemplateStringsArray, ...values: readonly unknown[]): Promise<number>;
}

/** Statements outside of transactions. `nameOf` gives the name under which a text is kept prepared. */
export function sqlOn(pool: pg.Pool, nameOf: (text: string) => string, onStatement?: (text: string) => void): Sql {
  const run = (strings: TemplateStringsArray, parts: readonly unknown[]) => {
    const { text, values } = Prisma.sql(strings, ...parts);
    onStatement?.(text);
    return pool.query<object>({ name: nameOf(text), text, values, types: TYPES });
  };
  return {
    rows: async <Row extends object>(text: TemplateStringsArray, ...values: readonly unknown[]) =>
      (await run(text, values)).rows as Row[],
    changed: async (text, ...values) => (await run(text, values)).rowCount ?? 0,
  };
}

/** The same inside a transaction. */
export function sqlIn(tx: Pick<Transaction, '$queryRaw' | '$executeRaw'>): Sql {
  return {
    rows: <Row extends object>(text: TemplateStringsArray, ...values: readonly unknown[]) =>
      tx.$queryRaw<Row[]>(text, ...values),
    changed: (text, ...values) => tx.$executeRaw(text, ...values),
  };
}

const { INT8, TIMESTAMPTZ } = pg.types.builtins;

/** The driver leaves int8 as text, and takes three times as long for a date as the engine does. */
const PARSERS = new Map<number, (text: string) => unknown>([
  [INT8, BigInt],
  [TIMESTAMPTZ, (text) => new Date(text)],
]);

const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format as 'text'),
};
