import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/database.ts';
import { expectError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';

const CONTRACTS = ['/schema.graphql', '/openapi.json'];
const PAGES = ['/docs', '/graphql'];
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the contracts and their pages', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const read = (path: string, headers: Record<string, string> = {}) =>
    service.send('GET', path, { key: null, headers });

  it('are public and equal the committed files', async () => {
    const [schema, openapi] = await Promise.all(CONTRACTS.map((path) => read(path)));
    expect(schema?.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(schema?.body).toBe(readFileSync(join(ROOT, 'schema/schema.graphql'), 'utf8'));
    expect(openapi?.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const committed = JSON.parse(readFileSync(join(ROOT, 'schema/openapi.json'), 'utf8'));
    const { publicUrl } = service.service.services.settings;
    const servers = [{ ...committed.servers[0], url: publicUrl }];
    expect(openapi?.body).toEqual({ ...committed, servers });
  });

  it('load only files of this service', async () => {
    for (const path of PAGES) {
      const { status, headers, body } = await read(path, BROWSER);
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/default-src 'none'.*connect-src 'self'/);
      expect(policy).not.toMatch(/https?:|\*|unsafe-eval|upgrade-insecure-requests|script-src[^;]*unsafe-inline/);
      const loaded = [...String(body).matchAll(/<(?:script src|link rel="stylesheet" href)="([^"]+)"/g)].map(
        ([, to]) => to,
      );
      expect(loaded.length).toBeGreaterThan(2);
      for (const to of loaded) {
        const address = new URL(to ?? '', `${service.url}${path}`);
        expect([address.origin, (await read(address.pathname)).status]).toEqual([service.url, 200]);
      }
    }
  });

  it.each([...CONTRACTS, '/docs', '/explorer/graphiql.js', '/docs/swagger-ui.js'])(
    'are revalidated by browsers: %s',
    async (path) => {
      const first = await read(path);
      const etag = first.headers.get('etag') ?? '';
      expect([first.headers.get('cache-control'), first.headers.get('content-encoding')]).toEqual(['no-cache', 'gzip']);
      const again = await fetch(`${service.url}${path}`, {
        headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' },
      });
      expect([again.status, await again.text()]).toEqual([304, '']);
      const plain = await read(path, { 'accept-encoding': 'identity' });
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(plain.body).toEqual(first.body);
    },
  );

  it.each([...CONTRACTS, '/docs', '/explorer/page.js'])('accept only GET and HEAD: %s', async (path) => {
    expect((await service.send('HEAD', path, { key: null })).status).toBe(200);
    expectError(await service.send('POST', path, { key: null }), 'method_not_allowed');
    expectError(await read(`${path}/`), 'not_found');
  });

  it('serve the explorer only to browsers: any other GET is a query', async () => {
    const query = '/graphql?query=%7B__typename%7D';
    for (const accept of ['*/*', 'application/json', 'application/graphql-response+json']) {
      const answer = await read(query, { accept });
      expect([accept, answer.body]).toEqual([accept, { data: { __typename: 'Query' } }]);
      expect(answer.headers.get('vary')).toMatch(/\baccept\b/i);
    }
    expect((await read(query, BROWSER)).body).toContain('<!doctype html>');
  });
});

describe('with INTROSPECTION=off', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ introspection: false });
  });
  afterAll(() => service.close());

  it('introspection and suggestions are off', async () => {
    const { body } = await service.graphql(getIntrospectionQuery());
    expect(body.data).toBeUndefined();
    expect(body.errors[0].message).toContain('introspection');
    expect((await service.graphql('{ __typename conversations { totalCount } }')).body).toEqual({
      data: { __typename: 'Query', conversations: { totalCount: 0 } },
    });
  });

  it.each([...CONTRACTS, '/docs', '/docs/swagger-ui.js', '/explorer/graphiql.js'])(
    '%s does not exist',
    async (path) => {
      expectError(await service.send('GET', path, { headers: BROWSER }), 'not_found');
    },
  );

  it('the explorer does not exist', async () => {
    const { headers, body } = await service.send('GET', '/graphql', { headers: BROWSER });
    expect(headers.get('content-type')).not.toContain('html');
    expect(String(body)).not.toContain('<html');
  });
});
