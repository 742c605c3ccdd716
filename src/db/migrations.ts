import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A folder in `prisma/migrations`. */
export interface Migration {
  readonly name: string;
  readonly script: string;
  /** As in the table of `prisma migrate deploy`. */
  readonly checksum: string;
  /** Whether the statements run one by one, each in a transaction of its own. The first line of the script says so. */
  readonly isOutsideTransaction: boolean;
}

/** The first line of a script whose statements cannot or must not share a transaction. */
export const OUTSIDE_TRANSACTION = '-- parley: outside a transaction';

/** Reads the migration folders in order. */
export async function readMigrations(root: string): Promise<Migration[]> {
  const folder = join(root, 'prisma/migrations');
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  return Promise.all(
    names.map(async (name) => {
      const script = await readFile(join(folder, name, 'migration.sql'), 'utf8');
      const checksum = createHash('sha256').update(script).digest('hex');
      return { name, script, checksum, isOutsideTransaction: script.startsWith(OUTSIDE_TRANSACTION) };
    }),
  );
}

/** Comments, texts, quoted names, dollar-quoted bodies, and the rest. A semicolon inside one of these ends no statement. */
const TOKENS = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|[^;'"$\-/]+|./g;

/** The statements of a script, without comments. */
export function statementsOf(script: string): string[] {
  const statements = [''];
  for (const [token] of script.matchAll(TOKENS)) {
    if (token === ';') statements.push('');
    else if (!/^(--|\/\*)/.test(token)) statements.push(`${statements.pop()}${token}`);
  }
  return statements.map((statement) => statement.trim()).filter(Boolean);
}
