import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guidesOf } from '../../src/web/guides/guide-html.ts';
import { ROOT } from '../support/database.ts';
import { expectError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';

const GUIDES = guidesOf(readFileSync(join(ROOT, 'docs/README.md'), 'utf8'));
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const PATHS = ['/docs/guides', '/docs/guides.css', '/docs/guides/concepts', '/docs/guides/concepts.md', '/llms.txt'];

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const read = (path: string, headers: Record<string, string> = {}) => service.send('GET', path, { key: null, headers });

describe('the guides', () => {
  it('are served to everyone as HTML that loads nothing but one style sheet', async () => {
    for (const path of ['/docs/guides', ...GUIDES.map(({ name }) => `/docs/guides/${name}`)]) {
      const { status, headers, body } = await read(path, BROWSER);
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'self';.*frame-ancestors 'none'$/,
      );
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(body).toMatch(/^<!doctype html>\n<html lang="en">/);
      expect(body).not.toMatch(/<script|<style|<[^>]*\s(?:style|on\w+)=|javascript:/);
      expect(body.match(/<h1/g)).toHaveLength(1);
    }
  });

  it('link only to pages, anchors and files that the service has', async () => {
    const pages = new Map<string, string>();
    const load = async (path: string) => {
      if (!pages.has(path)) pages.set(path, (await read(path)).body);
      return String(pages.get(path));
    };
    for (const from of ['/docs/guides', ...GUIDES.map(({ name }) => `/docs/guides/${name}`)]) {
      const links = [...(await load(from)).matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
      for (const link of links.filter((one) => !/^(https?|data):/.test(one))) {
        const { pathname, hash } = new URL(link, `${service.url}${from}`);
        if (pathname !== '/') expect([from, link, (await read(pathname)).status]).toEqual([from, link, 200]);
        if (hash) expect([link, (await load(pathname)).includes(` id="${hash.slice(1)}"`)]).toEqual([link, true]);
      }
    }
  });

  it('are served as the Markdown of the repository too', async () => {
    const { status, headers, body } = await read('/docs/guides/rest.md');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(body).toBe(readFileSync(join(ROOT, 'docs/rest.md'), 'utf8'));
  });

  it.each(PATHS)('revalidate by ETag and answer HEAD: %s', async (path) => {
    const first = await read(path);
    const etag = first.headers.get('etag') ?? '';
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    const again = await fetch(`${service.url}${path}`, {
      headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' },
    });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const head = await service.send('HEAD', path, { key: null });
    expect([head.status, head.body, head.headers.get('etag')]).toEqual([200, '', etag]);
    expectError(await service.send('POST', path, { key: null }), 'method_not_allowed');
    expectError(await read(`${path}/`), 'not_found');
  });

  it.each([
    'nothing',
    'README',
    'README.md',
    '..%2FREADME.md',
    '..%2f..%2fpackage.json',
    '%2e%2e%2fREADME',
    'constructor',
    'concepts.md.md',
  ])('respond with 404 to %s', async (name) => {
    expectError(await read(`/docs/guides/${name}`), 'not_found');
    const page = await read(`/docs/guides/${name}`, BROWSER);
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  });
});

describe('/llms.txt', () => {
  it('links to every guide as Markdown, and to the contracts', async () => {
    const { headers, body } = await read('/llms.txt');
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const links = [...String(body).matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    expect(links).toEqual(expect.arrayContaining(GUIDES.map(({ name }) => `docs/guides/${name}.md`)));
    expect(links).toEqual(expect.arrayContaining(['schema.graphql', 'openapi.json']));
    for (const link of links) expect([link, (await read(`/${link}`)).status]).toEqual([link, 200]);
  });

  it('leaves the contracts out if INTROSPECTION is off, and the guides stay', async () => {
    const closed = await startService({ introspection: false });
    try {
      const { body } = await closed.send('GET', '/llms.txt', { key: null });
      expect(body).not.toMatch(/schema\.graphql|openapi\.json/);
      expect((await closed.send('GET', '/docs/guides/concepts', { key: null })).status).toBe(200);
    } finally {
      await closed.close();
    }
  });
});
