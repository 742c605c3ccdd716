import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { documentsTypes } from '../../src/rest/published/artefacts.ts';
import { FileText } from '../../src/rest/published/file-text.ts';
import { comment } from '../../src/rest/published/typescript.ts';
import { ROOT } from '../support/database.ts';
import { publish } from '../support/documents.ts';
import { expectError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';

const run = promisify(execFile);

/** What would run if a text of an author became code. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: it attacks template literals
const ATTACK = '*/ }; globalThis.attacked = true; /* `${globalThis.attacked = true}` </script> \\u2028 \\n\'\\";';

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await startService();
  await service.send('POST', '/v1/resources', { body: { type: 'order', fields: { a: 1 } } });
  await service.agentTurn('Hello');
  const about = JSON.stringify(ATTACK.replaceAll('\\', ''));
  await publish(
    service,
    'order_list',
    `${about} query OrderList(${about} $filter: ResourceFilter, $first: Int! = 3) @rest(get: "/v1/x/order_list") @tool(title: ${about}) {
      resources(filter: $filter, first: $first) { nodes { resourceId type fields createdAt environment { kind } } pageInfo { endCursor } }
      conversations(first: 2) { nodes { name status messages(first: 2) { nodes { content { __typename ... on TextPart { text } } } } } }
      picked: resources(first: 1) { totalCount }
      nodes(ids: $ids) { id ... on Resource { type } }
    }`
      .replace(', $ids: [ID!]', '')
      .replace('      nodes(ids: $ids) { id ... on Resource { type } }\n', ''),
  );
  await publish(
    service,
    'add_order',
    `mutation ($input: CreateResourceInput!) @rest(post: "/v1/x/add_order", status: 201) {
      createResource(input: $input) { __typename ... on CreateResourcePayload { resource { type fields } } }
    }`,
  );
  await publish(
    service,
    'drop_order',
    'mutation ($id: ID!) @rest(delete: "/v1/x/drop_order/{id}", status: 204) { deleteResource(input: { id: $id }) { __typename } }',
  );
  folder = await mkdtemp(join(tmpdir(), 'parley-documents-'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  for (const name of ['documents.d.ts', 'documents.zod.ts']) {
    await writeFile(join(folder, name), String((await service.send('GET', `/v1/x/${name}`)).body));
  }
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

describe('/v1/x/openapi.json', () => {
  it('is a valid document of OpenAPI 3.1 with only the documents of the environment', async () => {
    const { body: document, headers } = await service.send('GET', '/v1/x/openapi.json');
    expect(Object.keys(document.paths)).toEqual(['/v1/x/add_order', '/v1/x/drop_order/{id}', '/v1/x/order_list']);
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
    const etag = headers.get('etag') ?? '';
    const same = await service.send('GET', '/v1/x/openapi.json', { headers: { 'if-none-match': etag } });
    expect([same.status, same.body]).toEqual([304, '']);
    const test = await service.send('GET', '/v1/x/openapi.json', { key: service.keys.test });
    expect(test.body.paths).toEqual({});
    // Last, because it blocks the process, and with it the service, for seconds.
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: `${ROOT}/x.json`, config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('needs the scope documents:read, and has only the documents that `name` selects', async () => {
    const key = await makeKey(service, { scopes: ['resources:read'] });
    for (const name of ['openapi.json', 'documents.d.ts', 'documents.zod.ts']) {
      const refused = await service.send('GET', `/v1/x/${name}`, { key });
      expectError(refused, 'forbidden', { facts: { required_scope: 'documents:read' } });
    }
    const { body } = await service.send('GET', '/v1/x/openapi.json?name=add_order&name=none');
    expect(Object.keys(body.paths)).toEqual(['/v1/x/add_order']);
    expectError(await service.send('POST', '/v1/x/openapi.json'), 'method_not_allowed');
  });

  it('leaves out documents that the schema no longer accepts', async () => {
    const { documentId } = await publish(service, 'outdated', '{ resources { totalCount } }');
    const { prisma } = service.service.services.stores;
    const { environmentId } = await prisma.document.findFirstOrThrow({ where: { id: documentId } });
    const key = { documentId, number: 2, environmentId };
    const row = { text: '{ removedField }', trustedId: 'x', authorKind: 'api_key', createdAt: new Date() };
    await prisma.documentVersion.create({ data: { ...key, ...row } });
    await prisma.document.updateMany({ where: { id: documentId }, data: { version: 2 } });
    const { body } = await service.send('GET', '/v1/x/openapi.json');
    expect(Object.keys(body.paths)).not.toContain('/v1/x/outdated');
    const call = await service.send('GET', '/v1/x/outdated');
    expectError(call, 'not_found', { message: /Cannot query field "removedField"/ });
  });
});

describe('/v1/x/documents.d.ts and documents.zod.ts', () => {
  it('compile, and have the types of variables, results and errors', async () => {
    await writeFile(
      join(folder, 'use.ts'),
      `import type { AddOrderError, Documents, OrderListResult, OrderListVariables } from './documents.js';
      import { documents } from './documents.zod.js';
      const variables: OrderListVariables = { filter: { type: 'order' }, first: 2 };
      // @ts-expect-error first is a number
      const wrong: OrderListVariables = { first: 'two' };
      export const names = (result: OrderListResult): readonly string[] => result.resources.nodes.map(({ type }) => type);
      // @ts-expect-error the result has no field name
      export const missing = (result: OrderListResult) => result.resources.nodes[0]?.name;
      export const isConflict = (error: AddOrderError) => error.error.code === 'idempotency_key_reused';
      // @ts-expect-error no document has this code
      export const never = (error: AddOrderError) => error.error.code === 'trigger_expired';
      const method: Documents['order_list']['method'] = 'GET';
      export const parsed: string = documents.order_list.result.parse({}).picked.totalCount.toFixed(0);
      export { method, variables, wrong };
      `,
    );
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck', 'false'];
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const files = ['use.ts', 'documents.zod.ts', 'documents.d.ts'];
    const { stdout } = await run(process.execPath, [tsc, ...options, ...files], { cwd: folder }).catch(
      (error) => error,
    );
    expect(stdout.replace(/^\.\.\/.*node_modules.*$/gm, '')).toBe('');
  });

  it('accept the variables and responses of real calls, and reject others', async () => {
    const list = await service.send('GET', '/v1/x/order_list');
    const added = await service.send('POST', '/v1/x/add_order', { body: { input: { type: 'order', fields: {} } } });
    const calls = [
      ['order_list', 'result', list.body, true],
      ['order_list', 'result', { ...list.body, picked: { totalCount: 'many' } }, false],
      ['order_list', 'variables', { filter: { type: 'order', field: { name: 'a', value: 1 } } }, true],
      ['order_list', 'variables', { first: 'two' }, false],
      ['add_order', 'result', added.body, true],
      ['add_order', 'variables', { input: { type: 'order', fields: {} } }, true],
      ['add_order', 'variables', {}, false],
    ];
    await writeFile(join(folder, 'calls.json'), JSON.stringify(calls));
    await writeFile(
      join(folder, 'check.ts'),
      `import { readFileSync } from 'node:fs';
      import { documents } from './documents.zod.ts';
      const calls = JSON.parse(readFileSync('calls.json', 'utf8'));
      const results = calls.map(([name, part, value]) => documents[name][part].safeParse(value).success);
      console.log(JSON.stringify({ results, attacked: globalThis.attacked ?? null }));
      `,
    );
    const { stdout } = await run(join(ROOT, 'node_modules/.bin/tsx'), ['check.ts'], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({ results: calls.map(([, , , isValid]) => isValid), attacked: null });
  });

  it('keep the texts of authors inside comments', () => {
    const text = comment(ATTACK.replaceAll('\\', ''));
    expect(text.indexOf('*/')).toBe(text.length - 3);
    expect(comment('a\u2028b\r\nc').split('\n')).toEqual(['/**', ' * a', ' * b', ' * c', ' */', '']);
  });

  it('are limited in length', async () => {
    const file = new FileText('\n');
    file.add('a'.repeat(LIMITS.documentFileLength - 1));
    expect(() => file.add('')).toThrow('Select documents with {param}');
    await expect(documentsTypes(Readable.from([]))).resolves.toContain('export interface Documents');
  });
});
