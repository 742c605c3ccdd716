import { type ASTNode, type GraphQLSchema, parse } from 'graphql';
import { LIMITS } from '../../contract/limits.ts';
import { printTypeSdl } from '../../graphql/sdl/print.ts';

/** A type of the schema as text, or a part of its members. */
export interface TypeText {
  readonly sdl: string;
  readonly page: number;
  readonly pages: number;
}

/** A page of the text of a type, from 1. Undefined if the schema has no such type or page. */
export function typeText(schema: GraphQLSchema, name: string, page: number): TypeText | undefined {
  const type = schema.getType(name);
  if (!type) return undefined;
  const text = printTypeSdl(type, schema);
  const pages = text.length <= LIMITS.schemaPageLength ? [text] : pagesOf(text);
  const sdl = pages[page - 1];
  return sdl === undefined ? undefined : { sdl, page, pages: pages.length };
}

/** Splits a text between members. Each page has the head of the type, so that it is SDL too. */
function pagesOf(text: string): string[] {
  const [definition] = parse(text).definitions;
  const members = (definition && membersOf(definition)) ?? [];
  const starts = members.map(({ loc }) => text.lastIndexOf('\n', loc?.start) + 1);
  const [first] = starts;
  if (first === undefined) return [text];
  const head = text.slice(0, first);
  const pages: string[] = [];
  let from = first;
  for (const [index, start] of starts.entries()) {
    const end = starts[index + 1] ?? text.lastIndexOf('}');
    if (start > from && end - from > LIMITS.schemaPageLength) {
      pages.push(`${head}${text.slice(from, start).trimEnd()}\n}`);
      from = start;
    }
  }
  pages.push(`${head}${text.slice(from)}`);
  return pages;
}

function membersOf(definition: ASTNode): readonly ASTNode[] | undefined {
  if ('fields' in definition) return definition.fields as readonly ASTNode[];
  return 'values' in definition ? (definition.values as readonly ASTNode[]) : undefined;
}
