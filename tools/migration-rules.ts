import { type Migration, OUTSIDE_TRANSACTION, statementsOf } from '../src/db/migrations.ts';

/** The newest migration from before the rules. It and earlier ones stay as they are. */
const LAST_WITHOUT_RULES = '20261124124500_message_words';

interface Rule {
  readonly forbids: RegExp;
  readonly because: string;
}

const NAME = String.raw`(?:"?public"?\.)?"?(\w+)"?`;

/** What takes long under a lock that blocks the requests of a running release. */
const ALTER_RULES: readonly Rule[] = [
  {
    forbids: /\bALTER\s+(?:COLUMN\s+)?"?\w+"?\s+(?:SET\s+DATA\s+)?TYPE\b/i,
    because: 'a new type rewrites the table. Add a column, and copy in batches',
  },
  {
    forbids: /\bADD\s+(?:COLUMN\s+)?[^,]*\bGENERATED\b/i,
    because: 'a generated or identity column rewrites the table. Add a column and a trigger',
  },
  {
    forbids: /\bADD\s+(?:COLUMN\s+)?(?:IF\s+NOT\s+EXISTS\s+)?"?\w+"?\s+(?:small|big)?serial\b/i,
    because: 'a serial column rewrites the table',
  },
  {
    // A text, a number, true, false, null, an empty array, or the time: PostgreSQL stores their value once.
    forbids:
      /\bADD\s+(?:COLUMN\s+)?(?!CONSTRAINT)[^,]*\bDEFAULT\s+(?!(?:'|[-\d]|true\b|false\b|null\b|ARRAY\[\]|now\(\)|CURRENT_TIMESTAMP\b))/i,
    because: 'a default that is not a constant can rewrite the table. Add the column, then set the default',
  },
  {
    forbids: /\bSET\s+NOT\s+NULL\b/i,
    because: 'it reads the whole table. Add a CHECK constraint with NOT VALID, and validate it outside a transaction',
  },
  {
    forbids:
      /\bADD\s+(?:COLUMN\s+)?[^,]*\b(?:REFERENCES|CHECK|UNIQUE|PRIMARY\s+KEY)\b(?![\s\S]*\bNOT\s+VALID\b)(?![\s\S]*\bUSING\s+INDEX\b)/i,
    because: 'a constraint reads the whole table. Add it with NOT VALID, or USING INDEX',
  },
  { forbids: /\bADD\s+(?:CONSTRAINT\s+"?\w+"?\s+)?EXCLUDE\b/i, because: 'it builds an index under a lock' },
  {
    forbids: /\bVALIDATE\s+CONSTRAINT\b/i,
    because: 'it reads the whole table under the locks of the transaction. Validate outside a transaction',
  },
  { forbids: /\bSET\s+(?:LOGGED|UNLOGGED|TABLESPACE|ACCESS\s+METHOD)\b/i, because: 'it rewrites the table' },
];

/** Statements that no migration needs. */
const STATEMENT_RULES: readonly Rule[] = [
  { forbids: /^(?:VACUUM|CLUSTER|REINDEX|LOCK)\b/i, because: 'it locks the table' },
  {
    forbids: /^(?:BEGIN|COMMIT|START\s+TRANSACTION|ROLLBACK)\b/i,
    because: 'the runner begins and ends the transaction',
  },
];

/** What can run one by one, and again after an interruption. */
const OUTSIDE = [
  /^CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+IF\s+NOT\s+EXISTS\s/i,
  /^DROP\s+INDEX\s+CONCURRENTLY\s+IF\s+EXISTS\s/i,
  /^ALTER\s+TABLE\s+\S+\s+VALIDATE\s+CONSTRAINT\s+"?\w+"?$/i,
];

/** The statements of a migration that would block or fail the requests of a running release, with the reasons. */
export function problemsOf(migration: Migration): string[] {
  if (migration.name <= LAST_WITHOUT_RULES) return [];
  const statements = statementsOf(migration.script);
  const created = new Set(
    statements.flatMap((one) => tableIn(one, 'CREATE\\s+TABLE(?:\\s+IF\\s+NOT\\s+EXISTS)?') ?? []),
  );
  return statements.flatMap((statement) => {
    const because = migration.isOutsideTransaction ? outsideProblem(statement) : problemOf(statement, created);
    return because ? [`${migration.name}: ${statement.replaceAll(/\s+/g, ' ').slice(0, 100)}: ${because}.`] : [];
  });
}

function outsideProblem(statement: string): string | undefined {
  if (OUTSIDE.some((form) => form.test(statement))) return undefined;
  return `only CREATE INDEX CONCURRENTLY IF NOT EXISTS, DROP INDEX CONCURRENTLY IF EXISTS and VALIDATE CONSTRAINT run outside a transaction`;
}

function problemOf(statement: string, created: ReadonlySet<string>): string | undefined {
  const rule = STATEMENT_RULES.find(({ forbids }) => forbids.test(statement));
  if (rule) return rule.because;
  if (/\bCONCURRENTLY\b/i.test(statement)) return `the script must begin with "${OUTSIDE_TRANSACTION}"`;
  const indexed = /^CREATE\s+(?:UNIQUE\s+)?INDEX\b/i.test(statement)
    ? tableIn(statement, '[\\s\\S]*?\\bON(?:\\s+ONLY)?')
    : undefined;
  if (indexed !== undefined && !created.has(indexed))
    return 'an index blocks writes until it is built. Create it CONCURRENTLY, in a migration of its own';
  const changed = tableIn(statement, '(?:UPDATE(?:\\s+ONLY)?|DELETE\\s+FROM(?:\\s+ONLY)?)');
  if (changed !== undefined && !created.has(changed))
    return 'it locks every row until the migration ends. Change rows in batches, in a background job';
  const altered = tableIn(statement, 'ALTER\\s+TABLE(?:\\s+IF\\s+EXISTS)?(?:\\s+ONLY)?');
  if (altered === undefined || created.has(altered)) return undefined;
  return ALTER_RULES.find(({ forbids }) => forbids.test(statement))?.because;
}

/** The name of the table after a beginning, if the statement begins so. */
function tableIn(statement: string, beginning: string): string | undefined {
  return new RegExp(`^${beginning}\\s+${NAME}`, 'i').exec(statement)?.[1];
}
