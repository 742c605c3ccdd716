import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { idOfDocument } from '../../src/graphql/server/trusted-documents.ts';
import { check, PUBLISH, publish, unpublish } from '../support/documents.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const LIST = `query ($type: String, $first: Int = 5) {
  resources(filter: { type: $type }, first: $first) { nodes { resourceId type } }
}`;

const read = async (by: object, selection: string, key?: string) =>
  (
    await service.graphql(
      `query ($by: DocumentBy!) { document(by: $by) { ${selection} } }`,
      { by },
      key === undefined ? {} : { key },
    )
  ).body.data.document;

describe('publishDocument', () => {
  it('publishes a document, and its next version', async () => {
    const first = await publish(service, 'list_resources_of_type', LIST);
    expect(first).toMatchObject({ version: 1, kind: 'QUERY', name: 'list_resources_of_type' });
    const again = await publish(service, 'list_resources_of_type', LIST);
    expect(again).toMatchObject({ documentId: first.documentId, version: 1 });
    const second = await publish(service, 'list_resources_of_type', LIST.replace('type } }', 'type createdAt } }'));
    expect(second).toMatchObject({ documentId: first.documentId, version: 2 });
    const document = await read(
      { id: first.documentId },
      'version current { number text } versions { nodes { number trustedId authorKind } totalCount }',
    );
    expect(document).toMatchObject({ version: 2, current: { number: 2 }, versions: { totalCount: 2 } });
    expect(document.versions.nodes.map(({ number }: { number: number }) => number)).toEqual([2, 1]);
  });

  it('has the SHA-256 of the text without its own directives as its trusted ID', async () => {
    const text = `"Adds a note." mutation Add($input: CreateResourceInput!)
      @rest(post: "/v1/x/add_note", status: 201) @tool(title: "Add a note", destructive: false) {
      createResource(input: $input) { ... on CreateResourcePayload { resource { resourceId etag @header(name: "ETag") } } }
    }`;
    const { check: checked } = await publish(service, 'add_note', text);
    expect(checked.trustedText).not.toMatch(/@|Adds a note/);
    expect(checked.trustedId).toBe(idOfDocument(checked.trustedText));
    expect(checked).toMatchObject({
      problems: [],
      scopes: ['RESOURCES_WRITE'],
      route: {
        method: 'POST',
        path: '/v1/x/add_note',
        status: 201,
        parameters: [{ name: 'input', place: 'BODY', type: 'CreateResourceInput', required: true }],
      },
    });
  });

  it('requires an acknowledgement of changes that break callers', async () => {
    await publish(service, 'breaking', LIST);
    const text = LIST.replace('resourceId type', 'resourceId').replace('$type: String', '$type: String!');
    const refused = await service.graphql(PUBLISH, { input: { name: 'breaking', text } });
    expect(refused.body.data.publishDocument).toMatchObject({
      __typename: 'BreakingChange',
      code: 'BREAKING_CHANGE',
      changes: [
        'GET /v1/x/breaking: query parameter type is required',
        'GET /v1/x/breaking: the response 200.resources.nodes[].type was removed',
      ],
    });
    expect((await check(service, 'breaking', text)).breakingChanges).toHaveLength(2);
    const forced = await publish(service, 'breaking', text, { acknowledgeBreaking: true });
    expect(forced.version).toBe(2);
    const { current } = await read({ name: 'breaking' }, 'current { acknowledgedChanges }');
    expect(current.acknowledgedChanges).toHaveLength(2);
  });

  it('counts another scope as a change that breaks callers', async () => {
    await publish(service, 'scoped', '{ resources { totalCount } }');
    const scoped = await check(service, 'scoped', '{ resources { totalCount } events { totalCount } }');
    expect(scoped.breakingChanges).toEqual(['GET /v1/x/scoped requires the scope events:read']);
  });

  it('rejects another version than `ifVersion`, and returns the current document', async () => {
    const { documentId } = await publish(service, 'versioned', LIST, { ifVersion: 0 });
    const input = { name: 'versioned', text: `${LIST} # changed`, ifVersion: 0 };
    const { body } = await service.graphql(PUBLISH, { input });
    expect(body.data.publishDocument).toMatchObject({
      __typename: 'PreconditionFailed',
      current: { documentId, version: 1 },
    });
    const unknown = { name: 'not_versioned', text: LIST, ifVersion: 3 };
    const missing = await service.graphql(PUBLISH, { input: unknown });
    expect(missing.body.data.publishDocument).toMatchObject({ __typename: 'PreconditionFailed', current: null });
  });

  it('keeps one of several concurrent publications of a name', async () => {
    const results = await Promise.all(
      [1, 2, 3, 4, 5].map((n) =>
        service.graphql(PUBLISH, { input: { name: 'contested', text: `${LIST} # ${n}`, ifVersion: 0 } }),
      ),
    );
    const names = results.map(({ body }) => body.data.publishDocument.__typename).sort();
    expect(names).toEqual([...Array(4).fill('PreconditionFailed'), 'PublishDocumentPayload']);
  });

  it('keeps the newest versions', async () => {
    const { documentId } = await publish(service, 'many_versions', LIST);
    const { id: environmentId } = await service.service.services.stores.prisma.environment.findFirstOrThrow({
      where: { documents: { some: { id: documentId } } },
    });
    const rows = Array.from({ length: LIMITS.documentVersions - 1 }, (_, index) => ({
      ...{ documentId, environmentId, number: index + 2, text: LIST, trustedId: 'x' },
      ...{ authorKind: 'api_key', createdAt: new Date() },
    }));
    await service.service.services.stores.prisma.documentVersion.createMany({ data: rows });
    const number = LIMITS.documentVersions;
    await service.service.services.stores.prisma.document.updateMany({
      where: { id: documentId },
      data: { version: number },
    });
    const { version } = await publish(service, 'many_versions', `${LIST} # last`);
    expect(version).toBe(number + 1);
    const { versions } = await read({ id: documentId }, 'versions(first: 100) { totalCount nodes { number } }');
    expect(versions.totalCount).toBe(LIMITS.documentVersions);
    expect(versions.nodes.at(-1).number).toBe(2);
  });

  it.each([
    ['Orders', 'name'],
    ['order-summary', 'name'],
    ['a__b', 'name'],
    ['a_1', 'name'],
    ['', 'name'],
    ['list_resources', 'name'],
    ['constructor', 'name'],
    ['n'.repeat(LIMITS.documentNameLength + 1), 'name'],
  ])('rejects the name %j', async (name, field) => {
    const { body } = await service.graphql(PUBLISH, { input: { name, text: LIST } });
    expect(body.data.publishDocument).toMatchObject({ __typename: 'InvalidInput', path: [field] });
  });

  it('accepts the longest name and text, and rejects a longer text', async () => {
    const name = 'n'.repeat(LIMITS.documentNameLength);
    const text = `${LIST}${' '.repeat(LIMITS.documentLength - LIST.length)}`;
    expect(await publish(service, name, text)).toMatchObject({ name });
    const { body } = await service.graphql(PUBLISH, { input: { name, text: `${text} ` } });
    expect(body.data.publishDocument).toMatchObject({ __typename: 'InvalidInput', path: ['text'] });
  });

  it('rejects more documents than the limit', async () => {
    const { prisma } = service.service.services.stores;
    const { id: environmentId } = await prisma.environment.findFirstOrThrow({ where: { documents: { some: {} } } });
    const count = LIMITS.documents - (await prisma.document.count({ where: { environmentId } }));
    const rows = Array.from({ length: count - 1 }, (_, index) => ({
      ...{ id: `doc_filler${index}`, environmentId, name: `filler${index}`, kind: 'query' as const, version: 1 },
      ...{ createdAt: new Date(), updatedAt: new Date() },
    }));
    await prisma.document.createMany({ data: rows });
    await publish(service, 'last_one', LIST);
    const { body } = await service.graphql(PUBLISH, { input: { name: 'one_too_many', text: LIST } });
    expect(body.data.publishDocument).toMatchObject({ __typename: 'InvalidInput', path: null });
    await prisma.document.deleteMany({ where: { id: { startsWith: 'doc_filler' } } });
  });
});

describe('deleteDocument', () => {
  it('deletes a document with its versions, and writes the audit log', async () => {
    const { documentId } = await publish(service, 'short_lived', LIST);
    expect(await unpublish(service, documentId)).toMatchObject({ name: 'short_lived' });
    expect(await read({ id: documentId }, 'name')).toBeNull();
    expect(await unpublish(service, documentId)).toMatchObject({ code: 'NOT_FOUND', path: ['id'] });
    const entries = await service.service.services.stores.prisma.auditEntry.findMany({
      where: { subjectId: documentId },
      orderBy: { id: 'asc' },
    });
    expect(entries.map(({ action, details }) => [action, details])).toEqual([
      ['document.published', { name: 'short_lived', version: 1, acknowledged: [], writes: [] }],
      ['document.unpublished', { name: 'short_lived', version: 1 }],
    ]);
  });
});

describe('documents', () => {
  it('lists, filters, searches and sorts', async () => {
    await publish(service, 'zebra_query', LIST);
    await publish(service, 'zebra_change', 'mutation ($id: ID!) { deleteResource(input: { id: $id }) { __typename } }');
    const names = async (args: string) =>
      (await service.graphql(`{ documents${args} { nodes { name } } }`)).body.data.documents.nodes.map(
        ({ name }: { name: string }) => name,
      );
    expect(await names('(filter: { search: "zebra" })')).toEqual(['zebra_change', 'zebra_query']);
    expect(await names('(filter: { search: "zebra", kind: QUERY })')).toEqual(['zebra_query']);
    const oldest = '(filter: { search: "zebra" }, orderBy: { field: UPDATED_AT, direction: ASC }, first: 1)';
    expect(await names(oldest)).toEqual(['zebra_query']);
    expectGraphqlError(
      await service.graphql('{ documents(filter: { search: "" }) { totalCount } }'),
      'invalid_request',
    );
  });

  it('shows the problems of a version that the schema no longer accepts', async () => {
    const { documentId } = await publish(service, 'outdated', LIST);
    const text = 'query { removedField { id } }';
    await service.service.services.stores.prisma.documentVersion.create({
      data: {
        ...{ documentId, number: 2, environmentId: (await environmentOf(documentId)).environmentId, text },
        ...{ trustedId: 'x', authorKind: 'api_key', createdAt: new Date() },
      },
    });
    await service.service.services.stores.prisma.document.updateMany({
      where: { id: documentId },
      data: { version: 2 },
    });
    const { check: checked } = await read(
      { id: documentId },
      'check { problems { message line column } route { path } }',
    );
    expect(checked).toEqual({
      problems: [{ message: 'Cannot query field "removedField" on type "Query".', line: 1, column: 9 }],
      route: null,
    });
    // Nobody can call it, so every new text is compatible.
    expect(await publish(service, 'outdated', LIST)).toMatchObject({ version: 3 });
  });
});

const environmentOf = (id: string) =>
  service.service.services.stores.prisma.document.findFirstOrThrow({ where: { id } });

describe('an export of the environment', () => {
  it('has the documents with their versions, oldest first, and not the counts of calls', async () => {
    const { documentId } = await publish(service, 'exported', LIST);
    const { check: checked } = await publish(service, 'exported', `${LIST} # again`);
    const { body } = await service.send('GET', '/v1/export');
    const lines = body
      .trimEnd()
      .split('\n')
      .map((line: string) => JSON.parse(line));
    const start = lines.findIndex((line: { readonly data?: { readonly id?: string } }) => line.data?.id === documentId);
    expect(lines.slice(start, start + 3)).toEqual([
      {
        type: 'document',
        data: {
          ...{ id: documentId, name: 'exported', kind: 'query', version: 2 },
          ...{ created_at: expect.any(String), updated_at: expect.any(String) },
        },
      },
      {
        type: 'document_version',
        data: {
          ...{ document_id: documentId, number: 1, text: LIST, trusted_id: checked.trustedId },
          ...{ acknowledged_changes: [], created_at: expect.any(String) },
        },
      },
      { type: 'document_version', data: expect.objectContaining({ number: 2, text: `${LIST} # again` }) },
    ]);
  });
});
