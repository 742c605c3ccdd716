import {
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { Pace } from '../../bounds/pace.ts';
import { LIMITS } from '../../contract/limits.ts';

/** A type or a member of a type: `Query`, `Query.node`, `WorkflowInput.name`, `Status.ACTIVE`. */
export interface SchemaMember {
  readonly coordinate: string;
  /** Its arguments and its type, and the first sentence of its description. */
  readonly line: string;
}

interface Entry extends SchemaMember {
  /** The words of the name, in lower case. */
  readonly names: readonly string[];
  /** The words of the name of its type. */
  readonly typeNames: readonly string[];
  readonly description: string;
  /** Precedes others with as many matches. */
  readonly bonus: number;
}

/** The index of each schema, created at the first search. */
const indexes = new WeakMap<GraphQLSchema, Promise<readonly Entry[]>>();

/** The members of the schema that match the words best, and how many match. */
export async function searchSchema(
  schema: GraphQLSchema,
  text: string,
): Promise<{ readonly members: SchemaMember[]; readonly total: number }> {
  const created = indexes.get(schema) ?? indexOf(schema);
  indexes.set(schema, created);
  const index = await created;
  const words = wordsOf(text).map(stemOf).slice(0, MOST_WORDS);
  const found = index
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.entry.coordinate.length - b.entry.coordinate.length);
  const best = found.slice(0, LIMITS.schemaSearchResults);
  return { members: best.map(({ entry: { coordinate, line } }) => ({ coordinate, line })), total: found.length };
}

/** More words would only take time. */
const MOST_WORDS = 10;

const NAME = 8;
const WHOLE_NAME = 4;
const PART_OF_NAME = 3;
const DESCRIPTION = 1;
const TYPE_BONUS = 1;
const ROOT_BONUS = 2;

/** How well an entry matches: each word counts by the best place in which it occurs. */
function scoreOf({ names, typeNames, description, bonus }: Entry, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    if (names.includes(word)) score += NAME;
    else if (typeNames.includes(word) || names.some((name) => name.includes(word))) score += PART_OF_NAME;
    else if (description.includes(word)) score += DESCRIPTION;
  }
  if (score === 0) return 0;
  return score + bonus + (names.every((name) => words.includes(name)) ? WHOLE_NAME : 0);
}

/** The words of a text or of a name in camel case or upper case, in lower case. */
function wordsOf(text: string): string[] {
  const separated = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return separated.match(/[a-z0-9]+/g) ?? [];
}

/** Singular and plural are the same word. */
const stemOf = (word: string): string => (word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word);

/** Other requests are served between two types. */
async function indexOf(schema: GraphQLSchema): Promise<Entry[]> {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const pace = new Pace();
  const entries: Entry[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type) || isSpecifiedScalarType(type)) continue;
    const bonus = roots.some((root) => root === type) ? ROOT_BONUS : 0;
    entries.push(entry(type.name, kindOf(type), type.description, TYPE_BONUS), ...membersOf(type, bonus));
    await pace.pause();
  }
  return entries;
}

function membersOf(type: GraphQLNamedType, bonus: number): Entry[] {
  const of = (name: string, signature: string, description: string | null | undefined) =>
    entry(`${type.name}.${name}`, signature, description, bonus);
  if (isEnumType(type)) return type.getValues().map(({ name, description }) => of(name, '', description));
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map((field) => of(field.name, `: ${field.type}`, field.description));
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).map((field) =>
    of(field.name, `${argumentsOf(field.args)}: ${field.type}`, field.description),
  );
}

function argumentsOf(args: readonly GraphQLArgument[]): string {
  return args.length > 0 ? `(${args.map(({ name, type }) => `${name}: ${type}`).join(', ')})` : '';
}

const KINDS = {
  GraphQLScalarType: 'scalar',
  GraphQLObjectType: 'type',
  GraphQLInterfaceType: 'interface',
  GraphQLUnionType: 'union',
  GraphQLEnumType: 'enum',
  GraphQLInputObjectType: 'input',
} as const;

const kindOf = (type: GraphQLNamedType): string => ` (${KINDS[type[Symbol.toStringTag] as keyof typeof KINDS]})`;

/** Characters of the line of a member. */
const LINE_LENGTH = 240;

function entry(coordinate: string, signature: string, description: string | null | undefined, bonus: number): Entry {
  const text = description?.replaceAll(/\s+/g, ' ') ?? '';
  const [sentence = ''] = text.split(/(?<=\.) /, 1);
  const line = `${coordinate}${signature}${sentence && ` — ${sentence}`}`;
  const [type = '', own] = coordinate.split('.');
  return {
    coordinate,
    line: line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)}…` : line,
    names: wordsOf(own ?? type).map(stemOf),
    typeNames: own === undefined ? [] : wordsOf(type).map(stemOf),
    description: text.toLowerCase(),
    bonus,
  };
}
