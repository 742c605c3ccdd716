import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../../src/config/variables.ts';
import { LIMITS } from '../../src/contract/limits.ts';
import { MODEL_PROVIDERS } from '../../src/contract/model-name.ts';
import { EVENT_TYPES } from '../../src/contract/statuses.ts';
import { getDatamodel } from '../../src/db/generated/pothos.ts';
import { internalSchema, publicSchema } from '../../src/graphql/schema/schema.ts';
import { loadDocuments } from '../../src/rest/documents.ts';
import { SAMPLES } from '../rest/samples.ts';
import { filesOf } from '../support/imports.ts';
import { GRAPHQL_ONLY, INTERNAL_COLUMNS } from './field-tables.ts';

const ROOT = join(import.meta.dirname, '../..');

const documentation = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)]
  .filter((path) => path.endsWith('.md'))
  .map((path) => readFileSync(join(ROOT, path), 'utf8'))
  .join('\n');

const objectTypes = Object.values(publicSchema.getTypeMap()).filter(
  (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'),
);

describe('A new field of a stored type', () => {
  it('is in the GraphQL API, or in the table of internal columns', () => {
    const message =
      'Add the column to its type in src/graphql/schema, or to INTERNAL_COLUMNS in test/contributing/field-tables.ts';
    expect(internalColumns(), message).toEqual(INTERNAL_COLUMNS);
  });

  it('is in the REST API, or in the table of GraphQL-only fields', () => {
    const message =
      'Add the field to its fragment in schema/rest, or to GRAPHQL_ONLY in test/contributing/field-tables.ts';
    expect(graphqlOnlyFields(), message).toEqual(GRAPHQL_ONLY);
  });

  it('is in the column list of hand-written SQL', () => {
    const lists = filesOf('src/domain').filter(({ text }) => /COLUMNS = Prisma\.raw/.test(text));
    expect(lists.map(({ path }) => path)).toContain('src/domain/resources/reads.ts');
    for (const { path, text } of lists) expect([path, columnsOf(text)]).toEqual([path, rowFieldsOf(text)]);
  });
});

describe('A new event type', () => {
  it.each([...EVENT_TYPES])('%s is appended by the domain', (type) => {
    const users = filesOf('src/domain').filter(({ text }) => text.includes(`'${type}'`));
    const message = `No file of src/domain has '${type}': append it in the transaction of the change, with appendEvent`;
    expect(users.length, message).toBeGreaterThan(0);
  });

  it.each([...EVENT_TYPES])('%s is in the documentation', (type) => {
    const isDescribed = documentation.includes(`\`${type}\``);
    expect(isDescribed, `Describe \`${type}\` in docs/data.md, or in another guide of docs/`).toBe(true);
  });
});

describe('A new model provider', () => {
  it.each([...MODEL_PROVIDERS])('%s is accepted by DEFAULT_MODEL and named in its rule', (provider) => {
    expect(VARIABLES.DEFAULT_MODEL.parse(`${provider}:name`)).toBe(`${provider}:name`);
    expect(VARIABLES.DEFAULT_MODEL.accepts).toContain(`${provider}:NAME`);
  });

  it.each([...MODEL_PROVIDERS])('%s has tests', (provider) => {
    const tests = filesOf('test/model').filter(({ text }) => text.includes(`${provider}:`));
    expect(tests.map(({ path }) => path)).not.toEqual([]);
  });
});

describe('A new dashboard page', () => {
  const list = readFileSync(join(ROOT, 'src/web/dashboard/shell/pages.ts'), 'utf8');
  const paths = [...list.matchAll(/path: '([^']+)'/g)].map(([, path = '']) => path);
  const browserTests = filesOf('test/browser', 'test/support')
    .map(({ text }) => text)
    .join('\n');

  it('is in the list of pages', () => {
    const loaded = [...list.matchAll(/import\('\.\.\/([^']+)'\)/g)].map(([, path = '']) => `src/web/dashboard/${path}`);
    const files = filesOf('src/web/dashboard').filter(({ text }) => /^export function Page\b/m.test(text));
    const message = 'Add or remove the entry in src/web/dashboard/shell/pages.ts';
    expect(loaded.toSorted(), message).toEqual(files.map(({ path }) => path).toSorted());
  });

  it.each(paths)('%s has a browser test', (path) => {
    const isOpened = new RegExp(`[/'"\`]${path.split('/')[1]}\\b`).test(browserTests);
    expect(isOpened, `No test of test/browser opens ${path}: add one`).toBe(true);
  });
});

describe('A new limit', () => {
  const source = filesOf('src')
    .filter(({ path }) => !/^src\/(rest\/openapi|web|sdk)/.test(path))
    .filter(({ text }) => text.includes('LIMITS'))
    .map(({ text }) => text.replace(/export const LIMITS = [\s\S]*?^}|description:\s*`[^`]*`/gm, ''));

  it.each(Object.keys(LIMITS))('%s is enforced, not only documented', (limit) => {
    const uses = source.filter((text) => new RegExp(`\\b${limit}\\b`).test(text));
    const message = `Nothing enforces LIMITS.${limit} of src/contract: name it in the field of src/shapes, or read it in src/domain, where the input is checked`;
    expect(uses.length, message).toBeGreaterThan(0);
  });
});

describe('A new REST endpoint', () => {
  it('has samples with its statuses', () => {
    const documents = loadDocuments(internalSchema, ROOT).filter(({ directive }) => !directive.ui);
    const names = documents.map(({ name }) => name);
    expect(Object.keys(SAMPLES).toSorted(), 'Correct SAMPLES in test/rest/samples.ts').toEqual(names.toSorted());
  });
});

describe('A new transport', () => {
  const transports = readdirSync(join(ROOT, 'src/transports'));

  it.each([
    ['test/support/transport-operations.ts', (name: string) => new RegExp(`src/transports/${name}/`)],
    ['docs/architecture.md', (name: string) => new RegExp(`^\\| \`src/transports/\`.*\`${name}\``, 'm')],
  ] as const)('is in %s', (path, mention) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const missing = transports.filter((name) => !mention(name).test(text));
    expect(missing.map((name) => `Add src/transports/${name} to ${path}`)).toEqual([]);
  });
});

/** Columns of each model that its GraphQL type of the same name does not have. */
function internalColumns(): Record<string, string[]> {
  const { models } = getDatamodel().datamodel;
  const tables = objectTypes.flatMap((type) => {
    const fields = type.getFields();
    const own = `${type.name.charAt(0).toLowerCase()}${type.name.slice(1)}Id`;
    const columns = (models[type.name]?.fields ?? []).filter(({ kind }) => kind !== 'object').map(({ name }) => name);
    const hidden = columns.filter((name) => !(name in fields) && !(name === 'id' && own in fields));
    return hidden.length > 0 ? [[type.name, hidden.toSorted()] as const] : [];
  });
  return Object.fromEntries(tables.toSorted(([a], [b]) => a.localeCompare(b)));
}

/** Fields of each stored type in REST documents that no document selects. */
function graphqlOnlyFields(): Record<string, string[]> {
  const selected = new Map<string, Set<string>>();
  const typeInfo = new TypeInfo(internalSchema);
  for (const { document, directive } of loadDocuments(internalSchema, ROOT)) {
    if (directive.ui) continue;
    visit(
      document,
      visitWithTypeInfo(typeInfo, {
        Field: ({ name }) => {
          const parent = typeInfo.getParentType()?.name ?? '';
          selected.set(parent, (selected.get(parent) ?? new Set()).add(name.value));
        },
      }),
    );
  }
  const tables = objectTypes.flatMap((type) => {
    const fields = selected.get(type.name);
    if (!fields || !(type.name in getDatamodel().datamodel.models)) return [];
    // REST has IDs where GraphQL has edges, and no global IDs.
    const values = Object.values(type.getFields()).filter((field) => isLeafType(getNamedType(field.type)));
    const rest = values.map(({ name }) => name).filter((name) => name !== 'id' && !fields.has(name));
    return rest.length > 0 ? [[type.name, rest.toSorted()] as const] : [];
  });
  return Object.fromEntries(tables.toSorted(([a], [b]) => a.localeCompare(b)));
}

/** The names of the columns in `COLUMNS = Prisma.raw('…')`. */
function columnsOf(text: string): string[] {
  const list = /COLUMNS = Prisma\.raw\(\s*'([^']+)'/.exec(text)?.[1] ?? '';
  return list
    .split(',')
    .map((column) => /(\w+)"?\s*$/.exec(column)?.[1] ?? '')
    .toSorted();
}

/** The fields of the interface that the file's lists return. */
function rowFieldsOf(text: string): string[] {
  const name = /newestFirst<(\w+)>/.exec(text)?.[1];
  const body = new RegExp(`interface ${name} \\{([\\s\\S]*?)\\n\\}`).exec(text)?.[1] ?? '';
  return [...body.matchAll(/^ {2}readonly (\w+)/gm)].map(([, field = '']) => field).toSorted();
}
