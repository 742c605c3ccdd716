import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { APP_CALLBACK, type AppServer, startAppServer } from '../support/app-server.ts';
import { authorizationError, TestApp, TestBrowser } from '../support/connecting.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let apps: AppServer;
let app: TestApp;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback' });
  apps = await startAppServer();
  app = new TestApp(service, apps.clientId('assistant'));
});
afterAll(async () => {
  await apps.close();
  await service.close();
});

const errorOf = (changes: Readonly<Record<string, string | undefined>>, from = app) =>
  authorizationError(service, from, changes);

describe('the document of an app', () => {
  const shown = async (clientId: string) => errorOf({}, new TestApp(service, clientId));

  it.each([
    ['that is no JSON', { status: 200, body: '<html>' }],
    ['that is missing', { status: 404, body: '{}' }],
    ['that redirects', { status: 302, headers: { location: '/other.json' }, body: '' }],
    ['that is too large', { status: 200, body: JSON.stringify({ padding: 'x'.repeat(LIMITS.appDocumentBytes) }) }],
    ['of another app', { status: 200, body: JSON.stringify({ client_id: 'https://a.example.com/app.json' }) }],
  ])('is refused if it is one %s', async (what, reply) => {
    const clientId = apps.clientId(`broken ${what}`.replaceAll(' ', '-'));
    apps.reply = reply;
    try {
      expect(await shown(clientId)).toMatchObject({ shown: 400 });
    } finally {
      apps.reply = undefined;
    }
  });

  it('is read only over https, and never from a private address', async () => {
    const before = apps.requests.length;
    for (const clientId of [
      'http://127.0.0.1:1/app.json',
      'https://10.0.0.1/app.json',
      'https://169.254.169.254/a',
      'x',
    ]) {
      expect(await shown(clientId)).toMatchObject({ shown: 400 });
    }
    expect(apps.requests.length).toBe(before);
  });

  it('is read once for many requests', async () => {
    const cached = new TestApp(service, apps.clientId('cached'));
    for (let count = 0; count < 5; count += 1) await cached.start(new TestBrowser(service));
    expect(apps.requests.filter((path) => path === '/cached.json')).toHaveLength(1);
  });

  it('cannot ask for a secret that the service would have to store', async () => {
    const clientId = apps.clientId('secret', { token_endpoint_auth_method: 'client_secret_basic' });
    expect(await shown(clientId)).toMatchObject({ shown: 400 });
  });

  it('can identify an app with an assertion, which is valid for minutes', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', use: 'sig' }] };
    const clientId = apps.clientId('signed', { token_endpoint_auth_method: 'private_key_jwt', jwks });
    const signed = new TestApp(service, clientId);
    const attempt = async (expires: number) => {
      const client_assertion = await new SignJWT({ jti: randomUUID(), exp: expires })
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer(clientId)
        .setSubject(clientId)
        .setAudience('http://127.0.0.1')
        .sign(privateKey);
      const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
      const code = `oac_${'x'.repeat(43)}`;
      const redirect_uri = APP_CALLBACK;
      const fields = { grant_type: 'authorization_code', code, redirect_uri, code_verifier: signed.verifier };
      return (await signed.token({ ...fields, client_assertion, client_assertion_type })).body.error;
    };
    const records = () =>
      service.service.services.stores.prisma.authorizationRecord.count({ where: { kind: 'ReplayDetection' } });
    const now = Math.floor(Date.now() / 1_000);
    for (const far of [now + 3_600, 253_402_300_799, 1e300]) expect(await attempt(far)).toBe('invalid_client');
    expect(await records()).toBe(0);
    expect(await attempt(now + 60)).toBe('invalid_grant');
    expect(await records()).toBe(1);
  });
});
