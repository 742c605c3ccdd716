import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { deleteExpiredPresence } from '../../src/domain/agent/presence/expired-presence.ts';
import { createDatabase, POSTGRES_URL } from '../support/database.ts';
import type { HandledTalks } from '../support/handled-talks.ts';
import { nextPeople, PresenceTalks, person, reading, SET_PRESENCE, typing } from '../support/presence.ts';
import { errorOf, mutationOf, resultOf } from '../support/results.ts';
import { startService } from '../support/service.ts';
import { makeKey, makeWorkspace, openSession } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let present: PresenceTalks;
let talks: HandledTalks;
beforeAll(async () => {
  present = await PresenceTalks.start();
  talks = present.talks;
});
afterAll(() => present.close());
beforeEach(() => present.reset());

const DELETE = mutationOf('deleteConversation', '{ conversationId }');

describe('a report', () => {
  it('expires by the clock of the database: followers notice it, and a sweep deletes it', async () => {
    const id = await talks.started();
    await present.report(id, talks.member, typing);
    const feed = await present.follow(id, talks.other);
    expect(await nextPeople(feed)).toEqual([person('developer', 'MEMBER', false, true)]);
    const [stored] = await talks.db.$queryRaw<{ typing: number; seen: number }[]>`
      SELECT extract(epoch FROM typing_until - now())::float8 AS typing, extract(epoch FROM seen_until - now())::float8 AS seen
      FROM conversation_presence WHERE conversation_id = ${id}::uuid`;
    expect(stored?.typing).toBeLessThanOrEqual(LIMITS.typingSeconds);
    expect(stored?.typing).toBeGreaterThan(LIMITS.typingSeconds - 4);
    expect(stored?.seen).toBeLessThanOrEqual(LIMITS.presenceSeconds);
    expect(stored?.seen).toBeGreaterThan(LIMITS.presenceSeconds - 4);
    await talks.db.conversationPresence.updateMany({
      where: { conversationId: id },
      data: { typingUntil: new Date(0) },
    });
    expect(await nextPeople(feed)).toEqual([person('developer', 'MEMBER')]);
    await talks.db.conversationPresence.updateMany({ where: { conversationId: id }, data: { seenUntil: new Date(0) } });
    expect(await nextPeople(await present.follow(id, talks.other))).toEqual([]);
    expect(await nextPeople(feed)).toEqual([]);
    await deleteExpiredPresence(present.service.service.services.stores.sql);
    expect(await present.rows(id)).toEqual([]);
  });

  it('writes one row per person, in one statement, and wakes no feed of the conversation or of lists', async () => {
    const { service } = talks.parts;
    const id = await talks.started();
    const state = 'conversation { handling { mode } }';
    const document = `subscription ($id: ID!) {
      conversationChanged(conversationId: $id, include: [HANDLING]) { items { type } ${state} } }`;
    const ofOne = await present.subscribe(document, { id }, talks.member);
    await ofOne.next();
    const list = await present.subscribe(`subscription { conversationsChanged { ${state} } }`, {}, talks.member);
    const before = await talks.conversation(id);
    service.takeStatements();
    expect(errorOf(await present.report(id, talks.member, reading))).toBeUndefined();
    const writes = service.takeStatements().filter((sql) => /conversation_presence/.test(sql));
    expect(writes).toHaveLength(1);
    await present.report(id, talks.member, typing);
    await present.report(id, talks.member, typing);
    expect(await present.rows(id)).toHaveLength(1);
    expect(await talks.conversation(id)).toEqual(before);
    // The next change of the conversation is the first event of both.
    await talks.act(id, 'takeover');
    const taken = { conversation: { handling: { mode: 'MEMBER' } } };
    expect((await ofOne.next()).data.conversationChanged).toEqual({ ...taken, items: [{ type: 'HANDLING' }] });
    expect((await list.next()).data.conversationsChanged).toEqual(taken);
  });

  it('of further people is not stored, and they still see the others', async () => {
    const id = await talks.started();
    await present.report(id, talks.member, reading);
    const { environmentId } = await talks.conversation(id);
    const data = Array.from({ length: LIMITS.presentPeople - 1 }, (_, index) => ({
      environmentId,
      conversationId: id,
      person: `person ${index}`,
      kind: 'member' as const,
      displayName: `Person ${index}`,
      seenUntil: new Date(Date.now() + 60_000),
    }));
    await talks.db.conversationPresence.createMany({ data });
    expect(await present.seen(id, talks.other, reading)).toHaveLength(LIMITS.presentPeople);
    expect(await present.rows(id)).toHaveLength(LIMITS.presentPeople);
    // Those who are there already stay, and the user is always stored.
    expect(await present.seen(id, talks.member, typing)).toContainEqual(person('developer', 'MEMBER', true, true));
    await talks.act(id, 'takeover');
    await present.report(id, talks.member, { isTyping: true, asUser: true });
    expect(await present.rows(id)).toHaveLength(LIMITS.presentPeople + 1);
  });

  it('is deleted with its conversation, and ends its feeds', async () => {
    const id = await talks.started();
    await present.report(id, talks.member, reading);
    const feed = await present.follow(id, talks.member);
    await feed.next();
    resultOf(await present.service.graphql(DELETE, { input: { conversationId: id } }));
    expect((await feed.next()).errors[0].extensions.code).toBe('NOT_FOUND');
    expect(await present.rows(id)).toEqual([]);
    expect(errorOf(await present.report(id, talks.member, reading))?.code).toBe('not_found');
  });

  it.skipIf(!POSTGRES_URL)('waits for the deletion of its conversation, and does not find it then', async () => {
    const id = await talks.started();
    const isWaiting = async () => {
      const waiting = await talks.db.$queryRaw<object[]>`
        SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return waiting.length > 0;
    };
    const { pending } = await talks.db.$transaction(
      async (tx) => {
        await tx.$executeRaw`UPDATE conversation SET latest_run_id = NULL WHERE id = ${id}::uuid`;
        await tx.$executeRaw`DELETE FROM timeline_item WHERE conversation_id = ${id}::uuid`;
        await tx.$executeRaw`DELETE FROM run WHERE conversation_id = ${id}::uuid`;
        await tx.$executeRaw`DELETE FROM conversation WHERE id = ${id}::uuid`;
        const reporting = present.report(id, talks.member, reading);
        await expect.poll(isWaiting).toBe(true);
        // Not awaited here: it waits for this transaction.
        return { pending: reporting };
      },
      { timeout: 60_000 },
    );
    expect(errorOf(await pending)?.code).toBe('not_found');
  });

  it.skipIf(!POSTGRES_URL)('reaches the followers of another process', async () => {
    const home = await createDatabase();
    const one = await startService({}, { home });
    const two = await startService({}, { home: { ...home, drop: async () => {} } });
    const [member, other] = [await openSession(one, 'developer'), await openSession(one, 'admin')];
    const id = (await one.agentTurn('Hello')).body.conversation_id;
    const feed = await present.follow(id, other, undefined, two);
    expect(await nextPeople(feed)).toEqual([]);
    await one.graphql(SET_PRESENCE, { input: { conversationId: id, isTyping: true } }, { key: member });
    expect(await nextPeople(feed)).toEqual([person('developer', 'MEMBER', false, true)]);
    await feed.close();
    await two.close();
    await one.close();
  });

  it('needs the scope: viewers are refused, and another workspace does not find the conversation', async () => {
    const { service } = talks.parts;
    const id = await talks.started();
    const viewer = await openSession(service, 'viewer');
    expect(errorOf(await present.report(id, viewer, reading))?.code).toBe('forbidden');
    expect((await present.follow(id, viewer)).rejection?.body.errors[0].extensions.code).toBe('FORBIDDEN');
    const { keys } = await makeWorkspace(service);
    expect(errorOf(await present.report(id, keys.live, reading))?.code).toBe('not_found');
    const foreign = await present.follow(id, keys.live);
    expect(foreign.rejection?.body.errors[0].extensions.code).toBe('NOT_FOUND');
    const bound = await makeKey(service, { deploymentIds: [present.open] });
    expect(errorOf(await present.report(id, bound, reading))?.code).toBe('not_found');
    expect(await present.rows(id)).toEqual([]);
  });

  it('ends the feed of a member whose session is revoked', async () => {
    const id = await talks.started();
    const session = await openSession(present.service, 'developer');
    const feed = await present.follow(id, session);
    await feed.next();
    const signOut = 'mutation { signOut { __typename } }';
    await present.service.graphql(signOut, {}, { key: session });
    expect(await feed.next()).toBeUndefined();
    expect(await until(async () => present.service.service.services.stores.tails.size === 0)).toBe(true);
  });
});
