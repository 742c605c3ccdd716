import { DISTRIBUTION_COLUMN } from '../../src/db/distribution.ts';

/** A query without its subqueries: they are queries of their own. */
interface Query {
  readonly text: string;
}

/** A table that a query reads or writes without naming an environment. */
export interface UnboundTable {
  readonly table: string;
  /** The query, with `$` for each parameter and `(#)` for each subquery. */
  readonly query: string;
}

/** The tables of a statement that no condition of their own query binds to one environment. */
export function unboundTables(sql: string, tables: readonly string[]): UnboundTable[] {
  return queriesOf(sql).flatMap(({ text }) => {
    const references = referencesOf(text).filter(({ table }) => tables.includes(table));
    return references
      .filter((reference) => !isBound(reference, text, references.length))
      .map(({ table }) => ({ table, query: text }));
  });
}

/** Splits a statement into its queries, the subqueries first. */
function queriesOf(sql: string): Query[] {
  const text = plain(sql);
  const queries: Query[] = [];
  const open: { text: string; isQuery: boolean }[] = [{ text: '', isQuery: true }];
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    const inner = open.at(-1) as { text: string; isQuery: boolean };
    if (character === '(') {
      open.push({
        text: '',
        isQuery: /^\(\s*(SELECT|WITH|INSERT|UPDATE|DELETE|TABLE)\b/i.test(text.slice(index, index + 20)),
      });
    } else if (character === ')' && open.length > 1) {
      open.pop();
      const outer = open.at(-1) as { text: string };
      if (inner.isQuery) queries.push(...partsOf(inner.text));
      outer.text += inner.isQuery ? '(#)' : `(${inner.text})`;
    } else {
      inner.text += character;
    }
  }
  return [...queries, ...partsOf(open[0]?.text ?? '')];
}

function partsOf(text: string): Query[] {
  return text.split(/\b(?:UNION ALL|UNION)\b/i).map((part) => ({ text: part.trim() }));
}

/** Without comments, literals, quotes, schema and the numbers of parameters. */
function plain(sql: string): string {
  return sql
    .replace(/--[^\n]*/g, ' ')
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/"?public"?\./g, '')
    .replaceAll('"', '')
    .replace(/\$\d+(,\s*\$)?/g, '$$')
    .replace(/\s+/g, ' ');
}

interface Reference {
  readonly table: string;
  readonly alias: string;
  readonly isInsert: boolean;
}

const CLAUSE_ENDS = /\b(?:WHERE|SET|GROUP|ORDER|LIMIT|OFFSET|RETURNING|HAVING|WINDOW|FOR|SELECT|VALUES)\b/i;

function referencesOf(text: string): Reference[] {
  const inserts = [...text.matchAll(/\bINSERT INTO (\w+)/gi)].map(([, table = '']) => ({
    table,
    alias: table,
    isInsert: true,
  }));
  const updates = [...text.matchAll(/(?<!\bFOR |\bKEY )\bUPDATE (?:ONLY )?(\w+)(?: AS)?(?: (?!SET\b)(\w+))?/gi)].map(
    ([, table = '', alias = table]) => ({ table, alias, isInsert: false }),
  );
  const lists = [...text.matchAll(/\b(?:FROM|USING)\b(?! ?\()/gi)].flatMap(({ index, 0: word }) => {
    const [clause = ''] = text.slice(index + word.length).split(CLAUSE_ENDS);
    return itemsOf(clause).flatMap((item) => {
      const found = /^(?:LATERAL |ONLY )?(\w+)(?: AS)?(?: (?!ON\b|USING\b)(\w+))?/i.exec(item.trim());
      return found?.[1] ? [{ table: found[1], alias: found[2] ?? found[1], isInsert: false }] : [];
    });
  });
  return [...inserts, ...updates, ...lists];
}

/** The items of a FROM clause: separated by commas outside of parentheses, and by joins. */
function itemsOf(clause: string): string[] {
  let flat = clause;
  for (let previous = ''; previous !== flat; ) {
    previous = flat;
    flat = flat.replace(/\([^()]*\)/g, ' ');
  }
  return flat.split(/,|\b(?:LEFT |RIGHT |INNER |CROSS |FULL |OUTER )*JOIN\b/i);
}

function isBound({ table, alias, isInsert }: Reference, text: string, count: number): boolean {
  const column = DISTRIBUTION_COLUMN;
  const is = (pattern: string) => new RegExp(pattern, 'i').test(text);
  if (isInsert) return is(`INSERT INTO ${table}(?: AS \\w+)? ?\\([^)]*\\b${column}\\b`);
  // A parameter, a literal, or the environment of another table that is bound itself.
  const value = `(?:\\$|''|\\w+\\.${column}\\b)`;
  const equals = (name: string) => `${name} ?= ?${value}|${value}(?:::uuid)? ?= ?${name}\\b|${name} IN \\(\\$\\)`;
  return is(equals(`\\b${alias}\\.${column}`)) || (count === 1 && is(equals(`(?<![.\\w])${column}`)));
}
