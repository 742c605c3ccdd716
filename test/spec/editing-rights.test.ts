import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { branchesOf } from '../support/branching.ts';
import { endUserToken } from '../support/end-users.ts';
import { expectError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment, makeKey, openSession } from '../support/tenants.ts';

let service: TestService;
let branches: ReturnType<typeof branchesOf>;
beforeAll(async () => {
  service = await startService();
  branches = branchesOf(service);
});
afterAll(() => service.close());

async function deployment(allowEditing: boolean): Promise<string> {
  const { id } = await makeDeployment(service, {}, { kind: 'agent', authRequired: false });
  await service.service.services.stores.prisma.deployment.update({ where: { id }, data: { allowEditing } });
  return id;
}

/** A conversation of two turns that this caller started, and its messages. */
async function talk(deploymentId: string, key: string | null) {
  const say = async (text: string, fields: object = {}) =>
    (
      await service.send('POST', `/v2/runner/${deploymentId}/conversation`, {
        key,
        body: { content: textContent(text), ...fields },
      })
    ).body;
  const { conversation_id } = await say('one');
  await say('two', { conversation_id });
  return { id: conversation_id, messages: await branches.messages(conversation_id, '', { key }) };
}

/** Every operation on such a conversation, in an order in which each is possible. */
async function changes({ id, messages }: Awaited<ReturnType<typeof talk>>, key: string | null) {
  const options = { key };
  return [
    await branches.regenerate(id, {}, options),
    await branches.select(id, messages[3]?.id, {}, options),
    await branches.edit(id, messages[2]?.id, 'deux', {}, options),
    await branches.fork(id, {}, options),
  ].map(({ status }) => status);
}

const callers = async (deploymentId: string) => ({
  visitor: null,
  'end user': await endUserToken(service, deploymentId, 'ada'),
  key: service.keys.live,
  member: await openSession(service, 'developer'),
});

describe('a deployment that allows editing', () => {
  it('lets everybody who may write replace turns and fork', async () => {
    const id = await deployment(true);
    for (const [name, key] of Object.entries(await callers(id))) {
      expect([name, await changes(await talk(id, key), key)]).toEqual([name, [200, 200, 200, 201]]);
    }
  });

  it('is the default of new ones', async () => {
    const { id } = await makeDeployment(service, {}, { kind: 'agent' });
    const query = 'query ($id: ID!) { deployment(id: $id) { allowEditing } }';
    expect((await service.graphql(query, { id })).body.data.deployment).toEqual({ allowEditing: true });
  });
});

describe('a deployment that does not', () => {
  it('lets only members and keys, and changes nothing for others', async () => {
    const id = await deployment(false);
    const { visitor, 'end user': endUser, ...others } = await callers(id);
    for (const key of [visitor, endUser]) {
      const started = await talk(id, key);
      expect(await changes(started, key)).toEqual([403, 403, 403, 403]);
      expectError(await branches.regenerate(started.id, {}, { key }), 'forbidden', {
        message: 'does not let its users edit',
      });
      expect(await branches.messages(started.id, '&branch=all', { key })).toEqual(started.messages);
      expect(await changes(started, service.keys.live)).toEqual([200, 200, 200, 201]);
    }
    for (const key of Object.values(others))
      expect(await changes(await talk(id, key), key)).toEqual([200, 200, 200, 201]);
  });
});

describe('a caller who may not write', () => {
  it('can neither replace turns nor fork', async () => {
    const id = await deployment(true);
    const started = await talk(id, service.keys.live);
    const reader = await makeKey(service, { scopes: ['conversations:read'] });
    expect(await changes(started, reader)).toEqual([403, 403, 403, 403]);
    const stranger = await endUserToken(service, id, 'bob');
    expect(await changes(started, stranger)).toEqual([404, 404, 404, 404]);
    // Of an end user, to a visitor who knows the ID.
    const owned = await talk(id, await endUserToken(service, id, 'ada'));
    expect(await changes(owned, null)).toEqual([401, 401, 401, 401]);
  });
});
