import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { readHistory, resume } from '../agent-turns.ts';
import type { Client } from '../client.ts';
import { type Receiver, signedHeaders } from '../receiver.ts';
import { subscribe } from '../subscriptions.ts';
import { updateEndpoint } from '../webhooks.ts';
import { EVENTS, type Facts, PAGE } from './facts.ts';

const LIMIT_MS = 40_000;

/** Checks of one release's data in this build. Each has a name and throws if it fails. */
const CHECKS: Readonly<Record<string, (client: Client, facts: Facts, receiver: Receiver) => Promise<void>>> = {
  async readiness(client) {
    const { status, body } = await client.send('GET', '/readyz', { key: null });
    assert.equal(status, 200, JSON.stringify(body));
  },

  async conversations(client, { idle, page }) {
    assert.deepEqual((await readHistory(client, idle.conversationId)).items, idle.items);
    const { body } = await client.graphql(PAGE, { after: page.cursor });
    assert.equal(body.data?.conversations.nodes[0].conversationId, page.next, JSON.stringify(body));
  },

  async 'the events after an old cursor'(client, { events }) {
    const feed = await subscribe(client, EVENTS, { after: events.cursor }, client.key);
    assert.equal((await feed.next()).data.eventAppended.event.resourceId, events.next);
    await feed.close();
  },

  async resources(client, { resource }) {
    const { body } = await client.send('GET', `/v1/resources/${resource.id}`);
    assert.deepEqual({ id: body.data?.id, fields: body.data?.fields }, resource, JSON.stringify(body));
  },

  async deployments(client, { deployments, documentPath }) {
    const { body } = await client.send('GET', '/v1/deployments');
    const found = new Set(body.data.map(({ id }: { id: string }) => id));
    assert.deepEqual(
      deployments.filter((id) => !found.has(id)),
      [],
    );
    const { status } = await client.send('GET', documentPath);
    assert.equal(status, 200);
  },

  async 'the sign-in of the owner'(client, { owner }) {
    const { status, body } = await client.send('POST', '/v1/sessions', { key: null, body: owner });
    assert.equal(status, 201, JSON.stringify(body));
    const me = await client.send('GET', '/v1/me', { key: body.data.token });
    assert.equal(me.body.data.user.email, owner.email);
  },

  async 'webhooks, with the stored secret'(client, { endpoint }, receiver) {
    const start = receiver.received.length;
    const { body } = await updateEndpoint(client, endpoint.id, { url: receiver.url });
    assert.equal(body.data?.it.endpoint?.endpointId, endpoint.id, JSON.stringify(body));
    await client.send('POST', '/v1/resources', { body: { type: 'order', fields: {} } });
    const message = (await receiver.waitForCount(start + 1))[start];
    assert.ok(message);
    new Webhook(endpoint.secret).verify(message.body, signedHeaders(message));
  },

  async 'a turn that was paused by the old release'(client, { paused }) {
    const { status, body } = await resume(client, paused, { name: 'Ada' });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.content, body.run_status], ['welcome back', 'completed']);
    const next = await client.agentTurn('Go on', { conversation_id: paused.conversationId });
    assert.equal(next.body.content, 'You said: Go on');
  },
};

/** The names of the checks that fail, with their reasons. */
export async function failedChecks(client: Client, facts: Facts, receiver: Receiver): Promise<string[]> {
  const failures: string[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    await inTime(check(client, facts, receiver)).catch((error: Error) => failures.push(`${name}: ${error.message}`));
  }
  return failures;
}

/** A check can wait for an event that never comes. */
function inTime(check: Promise<void>): Promise<void> {
  const timeout = pause(LIMIT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`it took longer than ${LIMIT_MS / 1_000} s`);
  });
  return Promise.race([check, timeout]);
}
