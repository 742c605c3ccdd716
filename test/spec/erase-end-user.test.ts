import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERASE_END_USER, endUserToken } from '../support/end-users.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const prisma = () => service.service.services.stores.prisma;

async function erase(endUser: string) {
  const { body } = await service.graphql(ERASE_END_USER, { input: { endUser } });
  const { __typename, ...erasure } = body.data.eraseEndUser;
  return erasure;
}

async function start(token: string, text: string): Promise<string> {
  const body = { content: [{ type: 'text', text }] };
  const response = await service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, { key: token, body });
  return response.body.conversation_id;
}

describe('eraseEndUser', () => {
  it('deletes everything of the user and nothing of others, ends their streams, and can be repeated', async () => {
    const token = await endUserToken(service, DEMO_CHAT_ID, 'erased@example.com');
    const other = await endUserToken(service, DEMO_CHAT_ID, 'kept');
    const ids = [await start(token, 'one secret'), await start(token, 'another secret')];
    const kept = await start(other, 'stays');
    const stream = await subscribe(service, 'subscription { conversationsChanged { cursor } }', {}, token);
    const ended = stream.next();
    expect(await erase('erased@example.com')).toEqual({ tokens: 1, conversations: 2, isComplete: true });
    expect(await ended).toBeUndefined();
    for (const id of ids) {
      expect((await service.send('GET', `/v1/runner/conversation/${id}/messages`)).status).toBe(404);
    }
    expect((await service.send('GET', `/v1/runner/conversation/${kept}/messages`)).status).toBe(200);
    const rows = await prisma().timelineItem.findMany({ where: { conversationId: { in: ids } } });
    expect(rows).toEqual([]);
    expect(await erase('erased@example.com')).toEqual({ tokens: 0, conversations: 0, isComplete: true });
  });

  it('writes a receipt with counts, without the ID of the user', async () => {
    await start(await endUserToken(service, DEMO_CHAT_ID, 'receipt@example.com'), 'a secret');
    await erase('receipt@example.com');
    const [entry] = await prisma().auditEntry.findMany({
      where: { action: 'end_user.erased' },
      orderBy: { id: 'desc' },
    });
    expect(entry).toMatchObject({
      details: { tokens: 1, conversations: 1, is_complete: true },
      subjectId: expect.stringMatching(/^end_user_/),
    });
    const log = JSON.stringify(await prisma().auditEntry.findMany(), (_key, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(log).not.toContain('receipt@example.com');
    expect(log).not.toContain('a secret');
  });

  it('works in batches, and leaves a conversation with a running turn for the next call', async () => {
    const endUser = 'many';
    const token = await endUserToken(service, DEMO_CHAT_ID, endUser);
    const running = await start(token, 'Hello');
    const body = { content: [{ type: 'text', text: '/slow 3' }], conversation_id: running };
    const turn = service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, { key: token, body });
    const where = { conversationId: running, status: 'running' } as const;
    await expect.poll(() => prisma().run.count({ where })).toBe(1);
    const { environmentId, deploymentId } = await prisma().conversation.findFirstOrThrow({ where: { id: running } });
    const at = { createdAt: new Date(), updatedAt: new Date() };
    await prisma().conversation.createMany({
      data: Array.from({ length: 120 }, () => ({
        id: crypto.randomUUID(),
        ...{ environmentId, deploymentId, endUser, name: 'A', variables: {}, meta: {} },
        ...at,
      })),
    });
    expect(await erase(endUser)).toEqual({ tokens: 1, conversations: 120, isComplete: false });
    await turn;
    expect(await erase(endUser)).toEqual({ tokens: 0, conversations: 1, isComplete: true });
  });

  it('reaches only its own environment', async () => {
    const id = await start(await endUserToken(service, DEMO_CHAT_ID, 'live user'), 'Hello');
    const { body } = await service.graphql(
      ERASE_END_USER,
      { input: { endUser: 'live user' } },
      { key: service.keys.test },
    );
    expect(body.data.eraseEndUser).toMatchObject({ tokens: 0, conversations: 0, isComplete: true });
    expect((await service.send('GET', `/v1/runner/conversation/${id}/messages`)).status).toBe(200);
  });
});
