import { DISTRIBUTION_COLUMN } from '../../src/db/distribution.ts';

/** A query without its subqueries: they are queries of their own. */
interface Query {
  readonly text: string;
}

/** A table that a query reads or writes without naming one environment. */
export interface UnboundTable {
  readonly table: string;
  /** `several`: the query lists environments, so a router can choose their servers. `all`: it names no environment. */
  readonly environments: 'several' | 'all';
  /** The query, with `$` for each parameter and `(#)` for each subquery. */
  readonly query: string;
}

/** The tables of a statement that no condition of their own query binds to one environment. */
export function unboundTables(sql: string, tables: readonly string[]): UnboundTable[] {
  return queriesOf(sql).flatMap(({ text }) => {
    const references = referencesOf(text).filter(({ table }) => tables.includes(table));
    const bound = boundOf(references, text);
    return references
      .filter((reference) => !bound.has(reference))
      .map((reference) => ({
        table: reference.table,
        environments: isPruned(reference, text, references.length) ? ('several' as const) : ('all' as const),
        query: text,
      }));
  });
}

/** The references with an own condition, then those that are compared with one of them or with another query. */
function boundOf(references: readonly Reference[], text: string): Set<Reference> {
  const bound = new Set(references.filter((reference) => isBound(reference, text, references.length)));
  const others = (reference: Reference) => comparedWith(reference, text);
  for (let size = -1; size !== bound.size; ) {
    size = bound.size;
    for (const reference of references) {
      const isKnown = (alias: string) => {
        const found = references.find((other) => other.alias === alias);
        return !found || bound.has(found);
      };
      if (others(reference).some(isKnown)) bound.add(reference);
    }
  }
  return bound;
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
        isQuery: /^(?:\(\s*)+(SELECT|WITH|INSERT|UPDATE|DELETE|TABLE)\b/i.test(text.slice(index, index + 20)),
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

/** How Prisma compares the key of a relation. */
const PAIRS = /\((\w+\.environment_id),[^()]*\) = \((\w+\.environment_id),[^()]*\)/g;

/** Without comments, literals, quotes, schema and the numbers of parameters. */
function plain(sql: string): string {
  return sql
    .replace(/--[^\n]*/g, ' ')
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/"?public"?\./g, '')
    .replaceAll('"', '')
    .replace(/\$\d+(?:,\s*\$\d+)*/g, '$$')
    .replace(/\s+/g, ' ')
    .replace(PAIRS, '$1 = $2');
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
  // A parameter or a literal.
  const value = "(?:\\$|'')";
  const equals = (name: string) => `${name} ?= ?${value}|${value}(?:::uuid)? ?= ?${name}\\b|${name} IN \\(\\$\\)`;
  return is(equals(`\\b${alias}\\.${column}`)) || (count === 1 && is(equals(`(?<![.\\w])${column}`)));
}

/** The aliases with whose environment a reference is compared. */
function comparedWith({ alias, isInsert }: Reference, text: string): string[] {
  if (isInsert) return [];
  const own = `(?:\\b${alias}\\.|(?<![.\\w]))${DISTRIBUTION_COLUMN}\\b`;
  const other = `\\b(\\w+)\\.${DISTRIBUTION_COLUMN}\\b`;
  const pairs = [new RegExp(`${own} ?= ?${other}`, 'gi'), new RegExp(`${other} ?= ?${own}`, 'gi')];
  return pairs.flatMap((pair) =>
    [...text.matchAll(pair)].flatMap(([, name]) => (name && name !== alias ? [name] : [])),
  );
}

/** Whether each row that the query reads or changes is of one of the listed environments. */
function isPruned({ alias, isInsert }: Reference, text: string, count: number): boolean {
  if (isInsert) return false;
  const anyOf = (name: string) => new RegExp(`${name} ?= ?ANY ?\\(\\$(?:::uuid\\[\\])?\\)`, 'i').test(text);
  return anyOf(`\\b${alias}\\.${DISTRIBUTION_COLUMN}`) || (count === 1 && anyOf(`(?<![.\\w])${DISTRIBUTION_COLUMN}`));
}

const CHANGES =
  /\b(?:INSERT INTO|UPDATE|DELETE FROM|MERGE INTO|TRUNCATE)\b|\bFOR (?:UPDATE|NO KEY UPDATE|SHARE|KEY SHARE)\b/i;

/** Whether a statement changes and locks nothing. */
export function isReadOnly(sql: string): boolean {
  return !CHANGES.test(plain(sql));
}
