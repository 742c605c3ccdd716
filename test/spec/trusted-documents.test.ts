import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TRUST_MODES } from '../../src/contract/trust-mode.ts';
import { schema } from '../../src/graphql/schema.ts';
import { idOfDocument, loadTrustedDocuments } from '../../src/graphql/trusted-documents.ts';
import { manifestOf } from '../../tools/documents.ts';
import { ROOT } from '../support/database.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';

const SOURCE = `
  query Names($first: Int) { conversations(first: $first) { nodes { ...Name } } }
  mutation Price { setModelPrice(input: { model: "own", inputPerMillion: 1, outputPerMillion: 2 }) { model } }
  subscription Feed { eventAppended { event { type } } }
  fragment Name on Conversation { name }`;

const manifest = manifestOf([parse(SOURCE)]);
const idOf = (name: string) => Object.entries(manifest).find(([, text]) => text.includes(name))?.[0] ?? '';
const OTHER = '{ conversations { totalCount } }';

/** A folder as the service is started from, with this in schema/documents. */
async function rootWith(documents: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'parley-'));
  for (const folder of ['prisma', 'dist']) await symlink(join(ROOT, folder), join(root, folder));
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

/** How clients name a document. */
const NAMED: Readonly<Record<string, (id: string) => object>> = {
  documentId: (id) => ({ documentId: id }),
  'documentId with sha256:': (id) => ({ documentId: `sha256:${id}` }),
  "Apollo's persistedQuery": (id) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: id } } }),
};

describe('Trusted documents: the manifest', () => {
  it('has each operation with its fragments, by the SHA-256 of its text', () => {
    expect(Object.keys(manifest)).toHaveLength(3);
    for (const [id, text] of Object.entries(manifest)) expect(idOfDocument(text)).toBe(id);
    expect(manifest[idOf('query Names')]).toContain('fragment Name');
    expect(manifest[idOf('mutation Price')]).not.toContain('fragment');
  });

  it.each([
    ["a document that is not its id's", { [idOfDocument('a')]: '{ __typename }' }, 'is not the SHA-256'],
    ['a document that the schema does not accept', { [idOfDocument('{ nope }')]: '{ nope }' }, 'nope'],
    ['a document that cannot be parsed', { [idOfDocument('{')]: '{' }, 'Syntax Error'],
  ])('stops the start by %s', async (_what, documents, problem) => {
    const wrong = await rootWith(documents);
    expect(() => loadTrustedDocuments(schema, wrong, 'only')).toThrow(problem);
    expect(() => loadTrustedDocuments(schema, wrong, 'only')).toThrow('schema/documents/test.json');
    await rm(wrong, { recursive: true });
  });
});

describe.each(['prefer', 'only'] as const)('TRUSTED_DOCUMENTS=%s', (mode) => {
  it.each(Object.entries(NAMED))('takes a document by %s', async (_name, named) => {
    const answer = await post(services[mode], { ...named(idOf('query Names')), variables: { first: 1 } });
    expect(answer.body).toEqual({ data: { conversations: { nodes: [] } } });
    const changed = await post(services[mode], named(idOf('mutation Price')));
    expect(changed.body).toEqual({ data: { setModelPrice: { model: 'own' } } });
  });

  it('takes a document by GET', async () => {
    const extensions = JSON.stringify({ persistedQuery: { sha256Hash: idOf('query Names') } });
    for (const query of [`documentId=${idOf('query Names')}`, `extensions=${encodeURIComponent(extensions)}`]) {
      expect((await services[mode].send('GET', `/graphql?${query}`)).body.data).toEqual({
        conversations: { nodes: [] },
      });
    }
  });

  it('refuses an id that it does not know', async () => {
    for (const id of [idOfDocument(OTHER), '', 'sha256:', '__proto__', 5]) {
      const answer = await post(services[mode], { documentId: id });
      expectGraphqlError(answer, 'invalid_request', {
        param: 'documentId',
        message: 'not the id of a trusted document',
      });
    }
    const apollo = await post(services[mode], { extensions: { persistedQuery: { sha256Hash: idOfDocument(OTHER) } } });
    expectGraphqlError(apollo, 'invalid_request', { param: 'extensions.persistedQuery.sha256Hash' });
  });

  it('opens a subscription by its id', async () => {
    const leave = new AbortController();
    const response = await fetch(`${services[mode].url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${services[mode].keys.live}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ documentId: idOf('subscription Feed') }),
      signal: leave.signal,
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe(':\n\n');
    leave.abort();
  });
});

describe('TRUSTED_DOCUMENTS=only', () => {
  it('refuses any other document, on every transport', async () => {
    const { only } = services;
    const refusal = { param: 'documentId', message: 'trusted documents alone' };
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
    expect(events.body).toContain('trusted documents alone');
    const token = (await only.send('PUT', '/graphql/stream')).body;
    const read = await fetch(`${only.url}/graphql/stream?token=${token}`);
    await only.send('POST', '/graphql/stream', {
      body: { query: OTHER, extensions: { operationId: 'it' } },
      headers: { 'x-graphql-event-stream-token': token },
    });
    const reader = read.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('event: complete')) text += (await reader?.read())?.value ?? '';
    expect(text).toContain('trusted documents alone');
    await reader?.cancel();
  });

  it('takes the text of a trusted document, and REST as ever', async () => {
    const { only } = services;
    expect((await only.graphql(manifest[idOf('query Names')] ?? '')).body.errors).toBeUndefined();
    expect((await only.send('GET', '/v1/resources')).status).toBe(200);
  });
});

describe('TRUSTED_DOCUMENTS=prefer', () => {
  it('takes any other document in full', async () => {
    expect((await services.prefer.graphql(OTHER)).body.errors).toBeUndefined();
    const both = { query: OTHER, ...NAMED["Apollo's persistedQuery"]?.(idOfDocument(OTHER)) };
    expect((await post(services.prefer, both)).body.errors).toBeUndefined();
  });
});

describe('TRUSTED_DOCUMENTS=off', () => {
  it('takes documents in full, and none by id', async () => {
    expect((await services.off.graphql(OTHER)).body.errors).toBeUndefined();
    const answer = await post(services.off, { documentId: idOf('query Names') });
    expectGraphqlError(answer, 'invalid_request', { param: 'documentId', message: 'in full alone' });
  });
});
