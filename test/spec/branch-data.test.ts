import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { branchesOf, textsOf } from '../support/branching.ts';
import { ERASE_END_USER, endUserToken } from '../support/end-users.ts';
import { backdate, makeDue, setRetention, sweep } from '../support/retention.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

let service: TestService;
let branches: ReturnType<typeof branchesOf>;
beforeAll(async () => {
  service = await startService();
  branches = branchesOf(service);
});
afterAll(() => service.close());

const prisma = () => service.service.services.stores.prisma;

/** A conversation with a reply that was replaced, and a fork of it. */
async function branched(key: string = service.keys.live): Promise<{ readonly id: string; readonly fork: string }> {
  const body = { content: [{ type: 'text', text: 'one' }] };
  const started = await service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, { key, body });
  const id = started.body.conversation_id;
  await branches.regenerate(id, {}, { key });
  const forked = await branches.fork(id, {}, { key });
  return { id, fork: forked.body.conversation_id };
}

const itemsOf = (...ids: string[]) => prisma().timelineItem.count({ where: { conversationId: { in: ids } } });

describe('what was replaced', () => {
  it('is erased with its end user, and so are their forks', async () => {
    const { id, fork } = await branched(await endUserToken(service, DEMO_CHAT_ID, 'ada'));
    expect(await itemsOf(id, fork)).toBe(5);
    const { body } = await service.graphql(ERASE_END_USER, { input: { endUser: 'ada' } });
    expect(body.data.eraseEndUser).toMatchObject({ conversations: 2, isComplete: true });
    expect(await itemsOf(id, fork)).toBe(0);
  });

  it('is deleted by the retention with its conversation, and a younger fork stays', async () => {
    const { id, fork } = await branched();
    await backdate(service, [id], 31);
    await setRetention(service, await openSession(service, 'admin'), 30);
    await makeDue(service);
    await sweep(service);
    expect(await itemsOf(id)).toBe(0);
    expect(textsOf(await branches.messages(fork))).toEqual(['one', 'You said: one']);
  });

  it('counts in the totals and the usage, but copies do not', async () => {
    const totals = async () => {
      const { body } = await service.graphql('{ conversationTotals { conversations usage { turns } } }');
      const { conversations, usage } = body.data.conversationTotals;
      return { conversations, turns: usage.turns };
    };
    const before = await totals();
    await branched();
    const after = await totals();
    expect([after.conversations - before.conversations, after.turns - before.turns]).toEqual([2, 2]);
  });
});
