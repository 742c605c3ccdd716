import type { Mutant } from './mutant.ts';

const MIGRATE_TEST = 'db/migrate.test.ts';
const APPLY = 'db/apply-migration.ts';
const GUARDS_TEST = 'db/guards.test.ts';
const SCOPED_POOL = 'db/scoped-pool.ts';

/** Guards of migrations and of connections. */
export const DATABASE: readonly Mutant[] = [
  {
    name: 'dates are read in the style of the database',
    file: 'db/scope.ts',
    find: "DateStyle: 'ISO, MDY',",
    replace: '',
    test: 'db/settings.test.ts',
  },
  {
    name: 'statements through a pooler run at the isolation level of the database',
    file: 'db/scope.ts',
    find: "SET transaction_isolation = 'read committed'",
    replace: 'SET application_name = DEFAULT',
    test: 'db/settings.test.ts',
  },
  {
    name: 'a process waits for the lock of migrations inside a statement',
    file: 'db/migrate.ts',
    find: "'SELECT pg_try_advisory_lock($1) AS locked'",
    replace: "'SELECT pg_advisory_lock($1) IS NOT NULL AS locked'",
    test: MIGRATE_TEST,
  },
  {
    name: 'a migration waits for a lock without a limit',
    file: APPLY,
    find: 'await connection.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);',
    replace: '',
    test: MIGRATE_TEST,
  },
  {
    name: 'an invalid index counts as created',
    file: APPLY,
    find: 'if (rows.length > 0) await connection.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);',
    replace: '',
    test: MIGRATE_TEST,
  },
  {
    name: 'a migration that could not lock is not tried again',
    file: APPLY,
    find: "new Set(['55P03', '40P01'])",
    replace: 'new Set()',
    test: MIGRATE_TEST,
  },
  {
    name: 'the migrations of a database of another program run',
    file: 'db/migrate.ts',
    find: 'if (rows[0]) throw new ForeignDatabaseError(rows[0].name);',
    replace: '',
    test: MIGRATE_TEST,
  },
  {
    name: 'a statement without a scope through a pooler has the role of the owner',
    file: 'db/pooler.ts',
    find: "const restricted = role === undefined ? common : [`set_config('role', '${role}', true) IS NULL`, ...common];",
    replace: 'const restricted = common;',
    test: 'db/pooler.test.ts',
  },
  {
    name: 'a statement through a pooler is prepared under a name',
    file: 'db/pooler.ts',
    find: "args[0] = 'submit' in query ? Object.assign(query, { name: '' }) : { ...query, name: '' };",
    replace: 'args[0] = query;',
    test: 'db/pooler.test.ts',
  },
  {
    name: 'a transaction through a pooler begins without its role',
    file: 'db/pooler.ts',
    find: 'settings: `${settings}; ${scope.settings}`,',
    replace: 'settings: scope.settings,',
    test: 'db/pooler.test.ts',
  },
  {
    name: 'the environment of a statement through a pooler loses the guard',
    file: 'db/pooler.ts',
    find: "            ...scope,\n            statement: '',",
    replace: "            kind: scope.kind,\n            values: scope.values,\n            statement: '',",
    test: GUARDS_TEST,
  },
  {
    name: 'a transaction with a guard begins without its scope',
    file: SCOPED_POOL,
    find: "if (config.text === 'BEGIN') return begin(client, settings);",
    replace: "if (config.text === 'BEGIN' && settings) return client.query({ text: 'BEGIN' });",
    test: GUARDS_TEST,
  },
  {
    name: 'the first write of a transaction is sent without its guard',
    file: SCOPED_POOL,
    find: 'return sent(client, new ScopedQuery(config, undefined, guard));',
    replace: 'return sent(client, new ScopedQuery(config, undefined));',
    test: GUARDS_TEST,
  },
  {
    name: 'a statement whose guard failed counts as prepared',
    file: 'db/scoped-query.ts',
    find: 'if (this.#ownCompletions > 0 && this.name && !this.#isPrepared) delete connection.parsedStatements[this.name];',
    replace: '',
    test: GUARDS_TEST,
  },
];
