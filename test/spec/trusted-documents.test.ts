import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TRUST_MODES } from '../../src/contract/statuses.ts';
import { publicSchema } from '../../src/graphql/schema/schema.ts';
import { idOfDocument, loadTrustedDocuments } from '../../src/graphql/server/trusted-documents.ts';
import { manifestOf } from '../../tools/documents.ts';
import { ROOT } from '../support/database.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { errorOf, resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';

const SOURCE = `
  query Names($first: Int) { conversations(first: $first) { nodes { ...Name } } }
  mutation Price { setModelPrice(input: { model: "own", inputPerMillion: 1, outputPerMillion: 2 }) { __typename ... on SetModelPricePayload { modelPrice { model } } ... on Error { code message path } } }
  subscription Feed { eventAppended { event { type } } }
  fragment Name on Conversation { name }`;

const manifest = manifestOf([parse(SOURCE)]);
const idOf = (name: string) => Object.entries(manifest).find(([, text]) => text.includes(name))?.[0] ?? '';
const OTHER = '{ conversations { totalCount } }';
const HASH_OF_OTHER = { extensions: { persistedQuery: { version: 1, sha256Hash: idOfDocument(OTHER) } } };

/** A start folder of the service with these files in schema/documents. */
async function rootWith(documents: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'parley-'));
  for (const name of ['prisma', 'dist', 'docs', 'package.json']) await symlink(join(ROOT, name), join(root, name));
  await cp(join(ROOT, 'schema'), join(root, 'schema'), { recursive: true });
  await mkdir(join(root, 'schema/documents'), { recursive: true });
  await writeFile(join(root, 'schema/documents/test.json'), JSON.stringify(documents));
  return root;
}

let root: string;
const services = {} as Record<(typeof TRUST_MODES)[number], TestService>;
beforeAll(async () => {
  root = await rootWith(manifest);
  for (const mode of TRUST_MODES) services[mode] = await startService({ trustedDocuments: mode }, { root });
});
afterAll(async () => {
  for (const service of Object.values(services)) await service.close();
  await rm(root, { recursive: true });
});

const post = (service: TestService, body: object, headers = {}) => service.send('POST', '/graphql', { body, headers });

/** The ways in which clients name a document. */
const NAMED: Readonly<Record<string, (id: string) => object>> = {
  documentId: (id) => ({ documentId: id }),
  'documentId with sha256:': (id) => ({ documentId: `sha256:${id}` }),
  "Apollo's persistedQuery": (id) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: id } } }),
};

describe('trusted documents: the manifest', () => {
  it('contains each operation with its fragments under the SHA-256 of its text', () => {
    expect(Object.keys(manifest)).toHaveLength(3);
    for (const [id, text] of Object.entries(manifest)) expect(idOfDocument(text)).toBe(id);
    expect(manifest[idOf('query Names')]).toContain('fragment Name');
    expect(manifest[idOf('mutation Price')]).not.toContain('fragment');
  });

  it.each([
    ["a document that is not its id's", { [idOfDocument('a')]: '{ __typename }' }, 'is not the SHA-256'],
    ['a document that the schema does not accept', { [idOfDocument('{ nope }')]: '{ nope }' }, 'nope'],
    ['a document that cannot be parsed', { [idOfDocument('{')]: '{' }, 'Syntax Error'],
  ])('prevents the start by %s', async (_description, documents, problem) => {
    const wrong = await rootWith(documents);
    expect(() => loadTrustedDocuments(publicSchema, wrong, 'only')).toThrow(problem);
    expect(() => loadTrustedDocuments(publicSchema, wrong, 'only')).toThrow('schema/documents/test.json');
    await rm(wrong, { recursive: true });
  });
});

describe.each(['prefer', 'only'] as const)('TRUSTED_DOCUMENTS=%s', (mode) => {
  it.each(Object.entries(NAMED))('accepts a document by %s', async (_name, named) => {
    const result = await post(services[mode], { ...named(idOf('query Names')), variables: { first: 1 } });
    expect(result.body).toEqual({ data: { conversations: { nodes: [] } } });
    const changed = await post(services[mode], named(idOf('mutation Price')));
    expect(resultOf(changed)).toEqual({ model: 'own' });
  });

  it('accepts a document by GET', async () => {
    const extensions = JSON.stringify({ persistedQuery: { sha256Hash: idOf('query Names') } });
    for (const query of [`documentId=${idOf('query Names')}`, `extensions=${encodeURIComponent(extensions)}`]) {
      expect((await services[mode].send('GET', `/graphql?${query}`)).body.data).toEqual({
        conversations: { nodes: [] },
      });
    }
  });

  it('rejects an unknown ID', async () => {
    for (const id of [idOfDocument(OTHER), '', 'sha256:', '__proto__', 5]) {
      const result = await post(services[mode], { documentId: id });
      expectGraphqlError(result, 'invalid_request', {
        param: 'documentId',
        message: 'not the ID of a trusted document',
      });
    }
  });

  it('opens a subscription by its ID', async () => {
    const abort = new AbortController();
    const response = await fetch(`${services[mode].url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${services[mode].keys.live}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ documentId: idOf('subscription Feed') }),
      signal: abort.signal,
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe(':\n\n');
    abort.abort();
  });
});

describe('TRUSTED_DOCUMENTS=only', () => {
  it('rejects any other document on every transport', async () => {
    const { only } = services;
    const refusal = { param: 'documentId', message: 'only trusted documents' };
    expectGraphqlError(await only.graphql(OTHER), 'invalid_request', refusal);
    expectGraphqlError(
      await only.send('GET', `/graphql?query=${encodeURIComponent(OTHER)}`),
      'invalid_request',
      refusal,
    );
    const events = await post(
      only,
      { query: 'subscription { eventAppended { event { id } } }' },
      { accept: 'text/event-stream' },
    );
    expect(events.body).toContain('only trusted documents');
    const token = (await only.send('PUT', '/graphql/stream')).body;
    const rejected = await only.send('POST', '/graphql/stream', {
      body: { query: OTHER, extensions: { operationId: 'it' } },
      headers: { 'x-graphql-event-stream-token': token },
    });
    expect(rejected.status).toBe(400);
    expect(rejected.body.errors[0].message).toContain('only trusted documents');
  });

  it('rejects an unknown hash, because its text would be rejected too', async () => {
    const result = await post(services.only, HASH_OF_OTHER);
    expectGraphqlError(result, 'invalid_request', { param: 'extensions.persistedQuery.sha256Hash' });
    const withText = await post(services.only, { query: OTHER, ...HASH_OF_OTHER });
    expectGraphqlError(withText, 'invalid_request', { param: 'extensions.persistedQuery.sha256Hash' });
  });

  it('accepts the text of a trusted document, and REST unchanged', async () => {
    const { only } = services;
    expect(errorOf(await only.graphql(manifest[idOf('query Names')] ?? ''))).toBeUndefined();
    expect((await only.send('GET', '/v1/resources')).status).toBe(200);
  });
});

describe('TRUSTED_DOCUMENTS=prefer', () => {
  it('accepts any other document in full', async () => {
    expect(errorOf(await services.prefer.graphql(OTHER))).toBeUndefined();
    expect(errorOf(await post(services.prefer, { query: OTHER, ...HASH_OF_OTHER }))).toBeUndefined();
  });

  it("requests the text of an unknown hash by Apollo's protocol", async () => {
    const { status, body } = await post(services.prefer, HASH_OF_OTHER);
    expect([status, body.errors[0]]).toEqual([
      200,
      { message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } },
    ]);
  });
});

describe('TRUSTED_DOCUMENTS=off', () => {
  it('accepts documents in full, but not by ID', async () => {
    expect(errorOf(await services.off.graphql(OTHER))).toBeUndefined();
    const result = await post(services.off, { documentId: idOf('query Names') });
    expectGraphqlError(result, 'invalid_request', { param: 'documentId', message: 'is not supported' });
  });
});
