import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowKey } from '../../src/domain/row-key.ts';
import { idOfDocument } from '../../src/graphql/server/trusted-documents.ts';
import { publish, unpublish } from '../support/documents.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';

const TEXT =
  'query Environment($type: String) @rest(get: "/v1/x/environment") { resources(filter: { type: $type }) { totalCount } }';

const services = {} as Record<'off' | 'prefer' | 'only', TestService>;
beforeAll(async () => {
  for (const mode of ['off', 'prefer', 'only'] as const)
    services[mode] = await startService({ trustedDocuments: mode });
});
afterAll(async () => {
  for (const service of Object.values(services)) await service.close();
});

/** `only` accepts no text of a client, so the document is published in the database. */
async function published(service: TestService) {
  const {
    stores: { prisma },
    ports: { documents },
  } = service.service.services;
  const { contract } = await documents.check('environment', TEXT);
  const environment = await prisma.environment.findFirstOrThrow({ where: { kind: 'live' } });
  const id = `doc_${'0'.repeat(25)}1`;
  const at = new Date();
  const row = { environmentId: environment.id, createdAt: at };
  await prisma.document.upsert({
    where: rowKey(environment, id),
    update: {},
    create: { ...row, id, name: 'environment', kind: 'query', version: 1, updatedAt: at },
  });
  const key = { documentId: id, number: 1 };
  const trustedId = contract?.trustedId ?? '';
  await prisma.documentVersion.upsert({
    where: { environmentId_documentId_number: { environmentId: environment.id, ...key } },
    update: {},
    create: { ...row, ...key, text: TEXT, trustedId, authorKind: 'operator' },
  });
  return { id: trustedId, text: contract?.trustedText ?? '' };
}

const post = (service: TestService, body: object, key: string | null = service.keys.live) =>
  service.send('POST', '/graphql', { body, key });

describe('the trusted ID of a published document', () => {
  it.each(['prefer', 'only'] as const)('works in the mode %s, only in its environment', async (mode) => {
    const service = services[mode];
    const { id } = await published(service);
    for (const documentId of [id, `sha256:${id}`]) {
      expect((await post(service, { documentId })).body.data.resources).toEqual({ totalCount: 0 });
    }
    const apollo = { extensions: { persistedQuery: { version: 1, sha256Hash: id } } };
    expect((await post(service, apollo)).body.data.resources).toEqual({ totalCount: 0 });
    expectGraphqlError(await post(service, { documentId: id }, service.keys.test), 'invalid_request');
    expectGraphqlError(await post(service, { documentId: id }, null), 'invalid_request');
  });

  it('is accepted as its text in the mode only, in its environment', async () => {
    const service = services.only;
    const { id, text } = await published(service);
    expect(idOfDocument(text)).toBe(id);
    expect((await post(service, { query: text })).body.data.resources).toEqual({ totalCount: 0 });
    expectGraphqlError(await post(service, { query: text }, service.keys.test), 'invalid_request');
  });

  it('is not used in the mode off', async () => {
    const { id } = await published(services.off);
    expectGraphqlError(await post(services.off, { documentId: id }), 'invalid_request');
  });

  it('stays trusted after the next version, until the document is unpublished', async () => {
    const service = services.prefer;
    const { documentId, check } = await publish(service, 'replaced', '{ resources { totalCount } }');
    const next = await publish(service, 'replaced', '{ resources { totalCount __typename } }');
    for (const trustedId of [check.trustedId, next.check.trustedId]) {
      expect((await post(service, { documentId: trustedId })).body.data.resources.totalCount).toBe(0);
    }
    await unpublish(service, documentId);
    expectGraphqlError(await post(service, { documentId: check.trustedId }), 'invalid_request');
  });

  it('has an ETag over GET', async () => {
    const service = services.prefer;
    const { id } = await published(service);
    const path = `/graphql?documentId=${id}`;
    const first = await service.send('GET', path);
    const etag = first.headers.get('etag') ?? '';
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
    const same = await service.send('GET', path, { headers: { 'if-none-match': etag } });
    expect([same.status, same.body]).toEqual([304, '']);
    const text = await service.send('GET', `/graphql?query=${encodeURIComponent('{ resources { totalCount } }')}`);
    expect(text.headers.get('etag')).toBeNull();
  });

  it('is counted', async () => {
    const service = services.prefer;
    const { documentId, check } = await publish(service, 'counted', '{ resources { totalCount } }');
    await post(service, { documentId: check.trustedId });
    await service.service.services.stores.documentCalls.flush();
    const read = 'query ($id: ID!) { document(by: { id: $id }) { calls { calls errors } } }';
    const { body } = await service.graphql(read, { id: documentId });
    expect(body.data.document.calls).toEqual({ calls: 1, errors: 0 });
  });
});
