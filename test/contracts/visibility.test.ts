import SchemaBuilder from '@pothos/core';
import {
  BreakingChangeType,
  findBreakingChanges,
  type GraphQLSchema,
  isCompositeType,
  parse,
  printSchema,
  validate,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { internalSchema, publicSchema } from '../../src/graphql/schema/schema.ts';
import '../../src/graphql/schema/plugins/visibility-plugin.ts';
import { loadTrustedDocuments } from '../../src/graphql/server/trusted-documents.ts';
import { loadDocuments } from '../../src/rest/documents.ts';
import { ROOT } from '../support/database.ts';
import { membersUsedBy } from '../support/document-members.ts';
import { membersOf, referencesOf, unreferencedTypes } from '../support/schema-members.ts';

/** Public members that name an internal type. */
function leaksOf(schema: GraphQLSchema): string[] {
  return referencesOf(schema).flatMap(({ at, type }) => (type.extensions.internal ? [`${at} names ${type.name}`] : []));
}

/** The coordinates of the members that only the internal schema has. */
function internalMembers(internal: GraphQLSchema, visible: GraphQLSchema): string[] {
  const known = new Set(membersOf(visible).map(({ at }) => at));
  return membersOf(internal).flatMap(({ at }) => (known.has(at) ? [] : [at]));
}

describe('the public schema', () => {
  it('is a part of the internal schema, with the same types except those of the IDs of nodes', () => {
    const changes = findBreakingChanges(publicSchema, internalSchema);
    // The directives of the public schema are documentation. REST documents know only public IDs.
    const others = changes.filter(
      ({ type, description }) =>
        type !== BreakingChangeType.DIRECTIVE_REMOVED &&
        !/ from \[?ID[!\]]* to \[?(Int|String|UUID)[!\]]*\.$/.test(description),
    );
    expect(others).toEqual([]);
  });

  it('names no internal type', () => expect(leaksOf(publicSchema)).toEqual([]));

  it('has no type that only internal members use: such a type is internal too', () => {
    expect(unreferencedTypes(publicSchema)).toEqual([]);
  });

  it('accepts the documents of the SDK and the dashboard', () => {
    expect(loadTrustedDocuments(publicSchema, ROOT, 'only').byId.size).toBeGreaterThan(50);
  });
});

const INTERNAL = internalMembers(internalSchema, publicSchema);

describe('an internal member', () => {
  it('is used by a REST document', () => {
    const documents = loadDocuments(internalSchema, ROOT).map(({ document }) => document);
    const used = membersUsedBy(documents, internalSchema);
    expect(INTERNAL.length).toBeGreaterThan(30);
    expect(INTERNAL.filter((at) => !used.has(at))).toEqual([]);
  });

  const fields = INTERNAL.flatMap((at) => {
    const [type = '', field = ''] = at.split('.');
    return isCompositeType(publicSchema.getType(type)) && /^\w+$/.test(field) ? [{ at, type, field }] : [];
  });

  it.each(fields)('$at is an unknown field of the public schema, and no suggestion names it', ({ type, field }) => {
    const messagesFor = (name: string) =>
      validate(publicSchema, parse(`fragment F on ${type} { ${name} }`)).map(({ message }) => message);
    const unknown = expect.stringContaining(`Cannot query field "${field}" on type "${type}".`);
    expect(messagesFor(field)).toContainEqual(unknown);
    for (const message of [...messagesFor(`${field}s`), ...messagesFor(field.slice(1))]) {
      expect(message.split('Did you mean')[1] ?? '').not.toContain(`"${field}"`);
    }
  });
});

describe('the option internal', () => {
  // The types require the options of every plugin that the program loads.
  const builder = new SchemaBuilder<object>({ plugins: ['visibility'], prisma: {} as never });
  const Item = builder.interfaceRef<object>('Item').implement({
    fields: (t) => ({ name: t.string({ resolve: () => '' }), kind: t.string({ internal: true, resolve: () => '' }) }),
  });
  const Note = builder.objectRef<object>('Note').implement({ interfaces: [Item], isTypeOf: () => true });
  const Page = builder.objectRef<object>('Page').implement({
    internal: true,
    fields: (t) => ({ items: t.field({ type: [Note], resolve: () => [] }) }),
  });
  const Filter = builder.inputType('Filter', {
    fields: (t) => ({ name: t.string(), legacy: t.string({ internal: true }) }),
  });
  const Numbers = builder.inputType('Numbers', { fields: (t) => ({ page: t.int() }) });
  builder.queryType({
    fields: (t) => ({
      note: t.field({
        type: Note,
        args: { filter: t.arg({ type: Filter }), style: t.arg.string({ internal: true }) },
        resolve: () => ({}),
      }),
      page: t.field({
        type: Page,
        internal: true,
        args: { numbers: t.arg({ type: Numbers }) },
        resolve: () => ({}),
      }),
    }),
  });

  it('hides types, fields, inherited fields, arguments and input fields', () => {
    expect(internalMembers(builder.toSchema(), builder.toSchema({ publicOnly: true })).sort()).toEqual([
      'Filter.legacy',
      'Item.kind',
      'Note.kind',
      'Page',
      'Page.items',
      'Query.note(style:)',
      'Query.page',
      'Query.page(numbers:)',
    ]);
  });

  it('hides only what it marks: the checks above find the rest', () => {
    expect(unreferencedTypes(builder.toSchema({ publicOnly: true }))).toEqual(['Numbers']);
    builder.queryField('newest', (t) => t.field({ type: Page, resolve: () => ({}) }));
    const visible = builder.toSchema({ publicOnly: true });
    expect(leaksOf(visible)).toEqual(['Query.newest names Page']);
    expect(printSchema(visible)).toContain('type Page');
  });

  it('is used only if a document reaches the member', () => {
    const internal = builder.toSchema();
    const used = (text: string) => {
      const members = membersUsedBy([parse(text)], internal);
      return internalMembers(internal, builder.toSchema({ publicOnly: true })).filter((at) => members.has(at));
    };
    expect(used('{ note { name } }')).toEqual([]);
    expect(used('query ($filter: Filter) { note(filter: $filter, style: "a") { kind } }').sort()).toEqual([
      'Filter.legacy',
      'Item.kind',
      'Note.kind',
      'Query.note(style:)',
    ]);
  });
});
