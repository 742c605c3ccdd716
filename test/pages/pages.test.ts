import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPages } from '../../src/pages/document.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${service.url}${path}`, { method, headers });

/** The sources that a page's policy allows, by directive. */
async function policyOf(path: string): Promise<Readonly<Record<string, string>>> {
  const policy = (await get(path)).headers.get('content-security-policy') ?? '';
  return Object.fromEntries(policy.split('; ').map((line) => [line.split(' ')[0], line.split(' ').slice(1).join(' ')]));
}

async function hosted(fields: object): Promise<string> {
  const { id } = await makeDeployment(service, {}, { hostedPage: true, ...fields });
  return `/chat/${id}`;
}

describe('the policy of the pages', () => {
  it.each(['/', '/dashboard', '/dashboard/workflows/1', `/agent/${DEMO_AGENT_ID}`])(
    'lets %s run and ask nothing but what is of this host, and make no HTML from text',
    async (path) => {
      const { 'frame-ancestors': _, ...policy } = await policyOf(path);
      expect(policy).toEqual({
        'default-src': "'none'",
        'script-src': "'self'",
        'style-src': "'self'",
        'img-src': "'self' data: blob:",
        'media-src': 'data: blob:',
        'connect-src': "'self'",
        'base-uri': "'none'",
        'form-action': "'none'",
        'require-trusted-types-for': "'script'",
      });
      const { headers } = await get(path);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    },
  );

  it.each(['/', '/dashboard'])('lets nobody show %s in a frame', async (path) => {
    expect((await policyOf(path))['frame-ancestors']).toBe("'none'");
    expect((await get(path)).headers.get('x-frame-options')).toBe('DENY');
  });

  it.each([
    [{ authRequired: true, allowlist: [] }, "'self'"],
    [{ authRequired: false, allowlist: [] }, '*'],
    [{ authRequired: true, allowlist: ['shop.example'] }, "'self' shop.example:* *.shop.example:*"],
    [{ authRequired: false, allowlist: ['127.0.0.1'] }, "'self' 127.0.0.1:*"],
  ])('WIRE 4: lets those show a hosted page in a frame who may talk to it: %j', async (fields, ancestors) => {
    const path = await hosted(fields);
    expect((await policyOf(path))['frame-ancestors']).toBe(ancestors);
    expect((await get(path)).headers.get('x-frame-options')).toBeNull();
  });
});

describe('the pages', () => {
  it('are filled in with what no name of a deployment gets out of', async () => {
    const name = '</script><script>alert(1)</script><b>&"';
    const text = await (await get(await hosted({ name }))).text();
    expect(text).not.toContain('alert(1)</script><b>');
    const [, data = ''] = /id="page-data">([^<]*)</.exec(text) ?? [];
    expect(JSON.parse(data).name).toBe(name);
    expect(text).toMatch(/<title>&#60;\/script&#62;/);
  });

  it('are read, and nothing else', async () => {
    for (const path of ['/', '/dashboard', '/widget.js']) {
      const answer = await get(path, {}, 'POST');
      expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD, OPTIONS']);
    }
  });

  it('load files that are kept for ever, by names that change with them, compressed for who takes that', async () => {
    const text = await (await get('/dashboard')).text();
    const paths = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(paths.length).toBeGreaterThan(2);
    for (const path of paths) {
      const answer = await get(path, { 'accept-encoding': 'gzip' });
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('content-encoding')).toBe('gzip');
    }
    expect((await get('/assets/none.js')).status).toBe(404);
    expect((await get('/assets/..%2f..%2fpackage.json')).status).toBe(404);
  });

  it('give their widget to every site', async () => {
    const { headers } = await get('/widget.js');
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache');
  });

  it('stop the start where they are not built, and say how they are', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'parley-pages-'));
    expect(() => loadPages(empty)).toThrow('The pages are not built. Run npm run build.');
  });
});
