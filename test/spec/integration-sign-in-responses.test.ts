import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { disconnect, respond, SignIns, signInOf, started, updateIntegration } from '../support/integration-sign-in.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

let service: TestService;
let session: string;
const signIns = new SignIns(() => ({ service, session }));

beforeAll(async () => {
  service = await startService();
  session = await openSession(service, 'owner');
});
afterAll(() => service?.close());
afterEach(() => signIns.close());

describe('the response of the authorization server', () => {
  it('works once', async () => {
    const { pair, id } = await signIns.connected();
    const { url, cookie } = await started(service, session, id);
    const response = pair.allow(url);
    expect(await respond(service, response, { session, cookie })).toBe('done');
    expect(await respond(service, response, { session, cookie })).toBe('expired');
    expect(pair.at('/token')).toHaveLength(1);
  });

  it('of two requests with the same code, one exchanges it', async () => {
    const { pair, id } = await signIns.connected();
    const { url, cookie } = await started(service, session, id);
    const response = pair.allow(url);
    const outcomes = await Promise.all([1, 2, 3].map(() => respond(service, response, { session, cookie })));
    expect(outcomes.sort()).toEqual(['done', 'expired', 'expired']);
    expect(pair.at('/token')).toHaveLength(1);
  });

  it.each([
    ['another browser, without the cookie', async (all: Sent) => ({ ...all, cookie: undefined })],
    ['a browser without a session', async (all: Sent) => ({ ...all, session: undefined })],
    ['the session of another member', async (all: Sent) => ({ ...all, session: await openSession(service, 'admin') })],
    [
      'another session of the same member',
      async (all: Sent) => ({ ...all, session: await openSession(service, 'owner') }),
    ],
    ['a changed cookie', async (all: Sent) => ({ ...all, cookie: all.cookie?.replace('=', '=A') })],
  ])('is rejected from %s', async (_, change) => {
    const { pair, id } = await signIns.connected();
    const { url, cookie } = await started(service, session, id);
    expect(await respond(service, pair.allow(url), await change({ session, cookie }))).toBe('expired');
    expect(pair.at('/token')).toEqual([]);
    expect((await signInOf(service, id)).state).toBe('NOT_NEEDED');
  });

  it('is rejected with another state, and after a newer attempt', async () => {
    const { pair, id } = await signIns.connected();
    const first = await started(service, session, id);
    expect(await respond(service, pair.allow(first.url, { state: 'other' }), { session, ...first })).toBe('expired');
    const second = await started(service, session, id);
    expect(await respond(service, pair.allow(first.url), { session, ...first })).toBe('expired');
    // Another browser with the same session started the newer attempt.
    expect(await respond(service, pair.allow(second.url), { session, ...first })).toBe('expired');
    expect(await respond(service, pair.allow(second.url), { session, ...second })).toBe('done');
  });

  it.each([
    ['names another issuer', { iss: 'https://attacker.example' }, 'failed'],
    ['names no issuer although the server does so', { iss: '' }, 'failed'],
    ['is an error', { code: '', error: 'server_error' }, 'failed'],
    ['has an error and a code', { error: 'server_error' }, 'failed'],
    ['is a refusal of another issuer', { iss: 'https://attacker.example', code: '', error: 'access_denied' }, 'failed'],
    ['says that the person refused', { code: '', error: 'access_denied' }, 'denied'],
    ['has a code that the server does not know', { code: 'unknown' }, 'failed'],
  ])('is rejected if it %s', async (_, fields, outcome) => {
    const { pair, id } = await signIns.connected();
    const { url, cookie } = await started(service, session, id);
    expect(await respond(service, pair.allow(url, fields), { session, cookie })).toBe(outcome);
    expect((await signInOf(service, id)).state).toBe('NOT_NEEDED');
    expect(pair.at('/token')).toHaveLength(outcome === 'failed' && 'code' in fields && fields.code ? 1 : 0);
    expect(service.logLines.join('')).not.toContain('secret detail');
  });

  it('is rejected without the verifier of PKCE', async () => {
    const { pair, id } = await signIns.connected();
    const { url, cookie } = await started(service, session, id);
    const other = new URL(url);
    other.searchParams.set('code_challenge', 'another');
    expect(await respond(service, pair.allow(other.href), { session, cookie })).toBe('failed');
  });

  it('is rejected if the integration got another URL, or was disconnected meanwhile', async () => {
    const { pair, id } = await signIns.connected();
    const attempt = await started(service, session, id);
    await updateIntegration(service, id, { url: `${pair.mcp.url}/other` });
    expect(await respond(service, pair.allow(attempt.url), { session, ...attempt })).toBe('expired');
    const next = await started(service, session, id);
    await disconnect(service, id);
    expect(await respond(service, pair.allow(next.url), { session, ...next })).toBe('expired');
    expect(pair.at('/token')).toEqual([]);
  });

  it('is accepted for 10 minutes', async () => {
    const { pair, id } = await signIns.connected();
    const [early, late] = [await started(service, session, id), (await signIns.connected()).id];
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 60_000 - 1_000 });
    try {
      expect(await respond(service, pair.allow(early.url), { session, ...early })).toBe('done');
      const attempt = await started(service, session, late);
      vi.setSystemTime(Date.now() + 10 * 60_000);
      expect(await respond(service, pair.allow(attempt.url), { session, ...attempt })).toBe('expired');
    } finally {
      vi.useRealTimers();
    }
    expect((await signInOf(service, late)).state).toBe('NOT_NEEDED');
  });

  it('is rejected if it is too long', async () => {
    const { pair, id } = await signIns.connected();
    const { url, cookie } = await started(service, session, id);
    const response = pair.allow(url, { extra: 'x'.repeat(8_001) });
    expect(await respond(service, response, { session, cookie })).toBe('expired');
  });
});

interface Sent {
  readonly session: string | undefined;
  readonly cookie: string | undefined;
}
