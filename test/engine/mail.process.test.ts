import { afterAll, describe, expect, it } from 'vitest';
import { postgresStore, startOn } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { busyMs } from '../support/event-loop.ts';
import { startMailServer } from '../support/mail-server.ts';
import { killAll } from '../support/process.ts';
import { until } from '../support/until.ts';

/** An attempt takes 30 s at most, and a claim lasts 10 s longer. */
const CLAIM_MS = 40_000;

describe.skipIf(!POSTGRES_URL)('the mails of two processes', () => {
  afterAll(killAll);

  it('are sent again by the other process after one dies before the server confirmed them', {
    timeout: 180_000,
  }, async () => {
    const store = await postgresStore();
    const server = await startMailServer();
    const env = { SMTP_URL: server.url, MAIL_FROM: 'parley@example.com', TRUST_PROXY: 'loopback' };
    const first = await startOn(store, env);
    const database = openPool(store.url, 1);
    const claimed = async () =>
      (await database.query('SELECT id FROM outgoing_mail WHERE lease_owner IS NOT NULL')).rows;
    const stored = async () => (await database.query('SELECT id FROM outgoing_mail')).rows.length;
    const [owner] = (await database.query<{ email: string }>('SELECT email FROM user_account LIMIT 1')).rows;
    const email = owner?.email ?? '';
    server.delayMs = 60_000;
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    await first.send('POST', '/v1/password-reset-requests', { body: { email }, key: null, headers });
    await server.received(1);
    expect(await claimed()).toHaveLength(1);
    await first.kill('SIGKILL');
    server.delayMs = 0;
    const startedAt = Date.now();
    const second = await startOn(store, env);
    const [one, other] = await until(async () => server.mails.length >= 2 && server.mails, {
      withinMs: busyMs(2 * CLAIM_MS),
    });
    expect(Date.now() - startedAt).toBeLessThan(CLAIM_MS + busyMs(20_000));
    expect(other?.to).toEqual([email]);
    // A mailbox recognizes the second copy by its ID. Both have the same link.
    const idOf = (source = '') => /^Message-ID: <[\da-f-]{36}@example\.com>\r$/m.exec(source)?.[0];
    expect(idOf(other?.source)).toBe(idOf(one?.source) ?? 'no ID');
    expect(other?.text).toBe(one?.text);
    await until(async () => (await stored()) === 0);
    // One request created one link, although two processes worked on it.
    expect((await database.query('SELECT FROM password_reset')).rows).toHaveLength(1);
    // Both processes run, and each mail is sent once.
    const third = await startOn(store, env);
    const sent = server.mails.length;
    for (let index = 1; index <= 3; index += 1) {
      const from = { 'x-forwarded-for': `192.0.2.${index + 1}` };
      const to = [second, third][index % 2];
      await to?.send('POST', '/v1/password-reset-requests', { body: { email }, key: null, headers: from });
    }
    await until(async () => server.mails.length >= sent + 2 && (await stored()) === 0);
    expect(server.mails).toHaveLength(sent + 2);
    await killAll();
    await database.end();
    await Promise.all([server.close(), store.remove()]);
  });
});
