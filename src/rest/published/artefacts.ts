import type { JsonSchema } from '../json-schema.ts';
import { codesByStatus } from '../openapi-error-codes.ts';
import type { CompiledDocument } from './compile.ts';
import { FileText } from './file-text.ts';
import { schemasOf } from './json-schemas.ts';
import { comment, typeOf } from './typescript.ts';

const HEAD =
  '// The published documents of the environment, written by Parley. Download it again after a publication.\n';

/** The types of documents: their variables, results and errors. */
export async function documentsTypes(documents: AsyncIterable<CompiledDocument>): Promise<string> {
  const file = new FileText('\n');
  file.add(HEAD);
  file.add('export interface Documents {');
  const names: string[] = [];
  const schemas = new Map<string, JsonSchema>();
  for await (const document of documents) {
    file.add(typesOfDocument(document));
    names.push(document.route.name);
    for (const [name, schema] of Object.entries(document.schemas)) schemas.set(name, schema);
  }
  file.add('}\n');
  for (const name of names) {
    const type = pascalCase(name);
    const at = `Documents[${JSON.stringify(name)}]`;
    for (const part of ['variables', 'result', 'error'] as const) {
      const suffix = part.charAt(0).toUpperCase() + part.slice(1);
      file.add(`export type ${type}${suffix} = ${at}['${part}'];`);
    }
  }
  file.add('\nexport declare namespace Schema {');
  for (const [name, schema] of [...schemas].sort(([a], [b]) => (a < b ? -1 : 1))) {
    file.add(`${comment(schema.description, 1)}  type ${name} = ${typeOf(schema, 1)};`);
  }
  file.add('}\n');
  return file.text;
}

function typesOfDocument(document: CompiledDocument): string {
  const { route, contract, operation } = document;
  const { variables, result } = schemasOf(document);
  const codes = [...codesByStatus(route).values()].flat();
  const error = codes.map((code) => JSON.stringify(code)).join(' | ');
  const about = [operation.summary, operation.description].filter(Boolean).join('. ');
  return [
    `${comment(about, 1)}  readonly ${JSON.stringify(route.name)}: {`,
    `    readonly method: ${JSON.stringify(contract.route.method)};`,
    `    readonly path: ${JSON.stringify(route.path)};`,
    `    readonly trustedId: ${JSON.stringify(contract.trustedId)};`,
    `    readonly variables: ${typeOf(variables, 2)};`,
    `    readonly result: ${result ? typeOf(result, 2) : 'undefined'};`,
    '    readonly error: {',
    `      readonly error: { readonly type: string; readonly code: ${error}; readonly message: string; readonly param: string | null };`,
    '      readonly request_id: string;',
    '    };',
    '  };',
  ].join('\n');
}

/** `order_summary` → `OrderSummary`. The form of names makes it unique. */
function pascalCase(name: string): string {
  return name.replace(/(^|_)([a-z])/g, (_match, _start, letter: string) => letter.toUpperCase());
}

/** A module with a Zod schema for the variables and the result of each document. */
export async function documentsZod(documents: AsyncIterable<CompiledDocument>): Promise<string> {
  const file = new FileText('\n');
  file.add(HEAD);
  file.add("import { z } from 'zod';\nimport type { Documents } from './documents.js';\n");
  file.add('export const documents = {');
  for await (const document of documents) {
    const { variables, result } = schemasOf(document);
    const name = JSON.stringify(document.route.name);
    file.add(`  ${name}: {`);
    file.add(`    variables: ${zodOf(variables, document)} as unknown as z.ZodType<Documents[${name}]['variables']>,`);
    const body = result ? zodOf(result, document) : 'z.undefined()';
    file.add(`    result: ${body} as unknown as z.ZodType<Documents[${name}]['result']>,\n  },`);
  }
  file.add('};\n');
  return file.text;
}

/** Only JSON becomes part of the code, so texts of authors stay texts. */
function zodOf(schema: JsonSchema, { schemas }: CompiledDocument): string {
  const text = JSON.stringify(withoutWords({ ...schema, $defs: reachable(schema, schemas) }));
  return `z.fromJSONSchema(${text.replaceAll('"#/components/schemas/', '"#/$defs/')})`;
}

/** Without descriptions, and without keywords that Zod does not know. */
function withoutWords(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, inner) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner) || !isSchema(inner)) return inner;
    const { description: _d, title: _t, uniqueItems: _u, default: _v, ...kept } = inner as JsonSchema;
    return kept;
  });
}

const WORDS = ['type', '$ref', 'anyOf', 'oneOf', 'enum', 'const'];

/** The object of `properties` can have a field with the name of a keyword. Its values are schemas. */
function isSchema(value: object): boolean {
  return WORDS.some((word) => {
    const own = (value as Record<string, unknown>)[word];
    return own !== undefined && (typeof own !== 'object' || Array.isArray(own));
  });
}

function reachable(schema: JsonSchema, schemas: CompiledDocument['schemas']): Record<string, JsonSchema> {
  const found = new Map<string, JsonSchema>();
  const visit = (text: string): void => {
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const target = schemas[name];
      if (!target || found.has(name)) continue;
      found.set(name, target);
      visit(JSON.stringify(target));
    }
  };
  visit(JSON.stringify(schema));
  return Object.fromEntries(found);
}
