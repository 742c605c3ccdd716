import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPages } from '../../src/pages/document.ts';
import { ROOT } from '../support/database.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${service.url}${path}`, { method, headers });

/** The allowed sources of a page's policy, by directive. */
async function policyOf(path: string): Promise<Readonly<Record<string, string>>> {
  const policy = (await get(path)).headers.get('content-security-policy') ?? '';
  return Object.fromEntries(policy.split('; ').map((line) => [line.split(' ')[0], line.split(' ').slice(1).join(' ')]));
}

async function hosted(fields: object): Promise<string> {
  const { id } = await makeDeployment(service, {}, { hostedPage: true, ...fields });
  return `/chat/${id}`;
}

describe('the policy of the pages', () => {
  it.each([
    { path: '/', frames: { 'frame-src': "'self'" } },
    ...['/dashboard', '/dashboard/workflows/1', `/agent/${DEMO_AGENT_ID}`].map((path) => ({ path, frames: {} })),
  ])(
    'limits $path to scripts, requests and frames of this host, and requires trusted types',
    async ({ path, frames }) => {
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
        ...frames,
      });
      const { headers } = await get(path);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    },
  );

  it('have an icon, even if no page names one', async () => {
    const { status, headers } = await get('/favicon.ico');
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  });

  it.each(['/', '/dashboard'])('forbids embedding %s in a frame', async (path) => {
    expect((await policyOf(path))['frame-ancestors']).toBe("'none'");
    expect((await get(path)).headers.get('x-frame-options')).toBe('DENY');
  });

  it.each([
    [{ authRequired: true, allowlist: [] }, "'self'"],
    [{ authRequired: false, allowlist: [] }, '*'],
    [{ authRequired: true, allowlist: ['shop.example'] }, "'self' shop.example:* *.shop.example:*"],
    [{ authRequired: false, allowlist: ['127.0.0.1'] }, "'self' 127.0.0.1:*"],
  ])('lets those show a hosted page in a frame who may talk to it: %j', async (fields, ancestors) => {
    const path = await hosted(fields);
    expect((await policyOf(path))['frame-ancestors']).toBe(ancestors);
    expect((await get(path)).headers.get('x-frame-options')).toBeNull();
  });
});

describe('the pages', () => {
  it('escape the name of a deployment in their data', async () => {
    const name = '</script><script>alert(1)</script><b>&"';
    const text = await (await get(await hosted({ name }))).text();
    expect(text).not.toContain('alert(1)</script><b>');
    const [, data = ''] = /id="page-data">([^<]*)</.exec(text) ?? [];
    expect(JSON.parse(data).name).toBe(name);
    expect(text).toMatch(/<title>&#60;\/script&#62;/);
  });

  it('accept only GET and HEAD', async () => {
    for (const path of ['/', '/dashboard', '/widget.js']) {
      const answer = await get(path, {}, 'POST');
      expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD, OPTIONS']);
    }
  });

  it('load immutable files with content hashes in their names, compressed by the build if the client accepts it', async () => {
    const text = await (await get('/dashboard')).text();
    const paths = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(paths.length).toBeGreaterThan(2);
    for (const path of paths) {
      for (const [coding, end] of [
        ['br', '.br'],
        ['gzip', '.gz'],
      ] as const) {
        const { status, headers } = await get(path, { 'accept-encoding': coding });
        expect([path, status, headers.get('content-encoding')]).toEqual([path, 200, coding]);
        const built = await stat(join(ROOT, `dist/web${path}${end}`));
        expect([path, headers.get('content-length')]).toEqual([path, String(built.size)]);
        expect((await get(path + end)).status).toBe(404);
        expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(headers.get('vary')).toBe('Accept-Encoding');
      }
    }
    expect((await get('/assets/none.js')).status).toBe(404);
    expect((await get('/assets/..%2f..%2fpackage.json')).status).toBe(404);
  });

  it('serve the widget to every site', async () => {
    const { headers } = await get('/widget.js');
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache');
  });

  it('prevent the start if they are not built, and name the build command', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'parley-pages-'));
    expect(() => loadPages(empty, undefined)).toThrow('The pages are not built. Run npm run build.');
  });
});
