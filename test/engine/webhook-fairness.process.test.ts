import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { hashToken, newApiKey } from '../../src/domain/access/tokens.ts';
import { newTypeId } from '../../src/domain/type-id.ts';
import { postgresStore, startOn } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { expectPromptMessages, startHanging } from '../support/hanging-endpoints.ts';
import { killAll } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { makeEndpoint } from '../support/webhooks.ts';

/** Environments of other workspaces, each with a key. */
async function makeEnvironments(url: string, count: number): Promise<string[]> {
  const database = openPool(url, 1);
  const keys = Array.from({ length: count }, () => newApiKey('live'));
  for (const key of keys) {
    const [workspace, environment] = [randomUUID(), randomUUID()];
    await database.query('INSERT INTO workspace (id, name, created_at) VALUES ($1, $2, now())', [workspace, 'Another']);
    await database.query(`INSERT INTO environment (id, workspace_id, kind) VALUES ($1, $2, 'live')`, [
      environment,
      workspace,
    ]);
    await database.query(
      `INSERT INTO api_key (id, environment_id, name, token_hash, last_four, scopes, created_at)
       VALUES ($1, $2, 'A test', $3, $4, $5, now())`,
      [newTypeId('key'), environment, hashToken(key), key.slice(-4), ['webhooks:manage', 'resources:write']],
    );
  }
  await database.end();
  return keys;
}

describe.skipIf(!POSTGRES_URL)('webhooks of two processes', () => {
  afterAll(killAll);

  it('reach a healthy endpoint within 1 s while 100 endpoints of other environments hang', async () => {
    const store = await postgresStore();
    const keys = await makeEnvironments(store.url, 5);
    const pair = await Promise.all([0, 1].map(() => startOn(store, { ALLOW_LOOPBACK: 'true' })));
    const [one, other] = pair;
    if (!one || !other) throw new Error('There are not two processes.');
    const receiver = await startReceiver();
    const hanging = await startHanging(one.url, keys);
    await hanging.waitForCount(100);
    await makeEndpoint(one, receiver.url);
    await expectPromptMessages(one, receiver);
    await expectPromptMessages(other, receiver);
    // Every attempt has timed out, and some endpoints have a second attempt.
    await hanging.waitForCount(120);
    await expectPromptMessages(one, receiver);
    await expectPromptMessages(other, receiver);
    expect(receiver.received).toHaveLength(20);
    await killAll();
    await Promise.all([hanging.close(), receiver.close(), store.remove()]);
  });
});
