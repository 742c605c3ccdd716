import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endUserToken } from '../support/end-users.ts';
import type { HandledTalks } from '../support/handled-talks.ts';
import { nextPeople, PresenceTalks, person, reading, typing } from '../support/presence.ts';
import { errorOf } from '../support/results.ts';
import { makeKey } from '../support/tenants.ts';

let present: PresenceTalks;
let talks: HandledTalks;
beforeAll(async () => {
  present = await PresenceTalks.start();
  talks = present.talks;
});
afterAll(() => present.close());
beforeEach(() => present.reset());

describe('people of the team', () => {
  it('see each other in a conversation, and who types', async () => {
    const id = await talks.started();
    const feed = await present.follow(id, talks.member);
    expect(await nextPeople(feed)).toEqual([]);
    expect(await present.seen(id, talks.member, reading)).toEqual([person('developer', 'MEMBER', true)]);
    expect(await nextPeople(feed)).toEqual([person('developer', 'MEMBER', true)]);
    await present.report(id, talks.other, typing);
    const both = [person('developer', 'MEMBER', true), person('admin', 'MEMBER', false, true)];
    expect(await nextPeople(feed)).toEqual(expect.arrayContaining(both));
    await present.report(id, talks.other, { isTyping: false, isOpen: false });
    expect(await nextPeople(feed)).toEqual([person('developer', 'MEMBER', true)]);
    expect(await present.rows(id)).toHaveLength(1);
  });

  it('have the name that the user reads if they have the conversation, and API keys are there too', async () => {
    const id = await talks.started();
    await talks.act(id, 'takeover', { display_name: 'Anna' });
    expect(await present.seen(id, talks.member, reading)).toEqual([person('Anna', 'MEMBER', true)]);
    const key = await makeKey(present.service, { scopes: ['conversations:read', 'conversations:handle'] });
    expect(await present.seen(id, key, reading)).toEqual(
      expect.arrayContaining([person('Anna', 'MEMBER'), person('Support', 'API_KEY', true)]),
    );
  });

  it('see that the user types while the conversation waits or a person has it, and not while the assistant answers', async () => {
    const id = await present.visited();
    expect(await present.seen(id, null, typing)).toEqual([]);
    expect(await present.rows(id)).toEqual([]);
    await talks.act(id, 'takeover');
    const feed = await present.follow(id, talks.member);
    expect(await nextPeople(feed)).toEqual([]);
    await present.report(id, null, typing);
    expect(await nextPeople(feed)).toEqual([person(null, 'USER', false, true)]);
    expect(await present.seen(id, null, reading)).toEqual([]);
    expect(await nextPeople(feed)).toEqual([]);
    expect(await present.rows(id)).toEqual([]);
  });

  it('stop to type with their message', async () => {
    const id = await talks.started();
    await talks.act(id, 'takeover', { display_name: 'Anna' });
    await present.report(id, talks.member, typing);
    const feed = await present.follow(id, talks.other);
    expect(await nextPeople(feed)).toEqual([person('Anna', 'MEMBER', false, true)]);
    await talks.answer(id, 'Hi');
    expect((await present.rows(id)).map(({ typingUntil }) => typingUntil)).toEqual([null]);
    expect(await nextPeople(feed)).toEqual([person('Anna', 'MEMBER')]);
  });
});

describe('the user of a conversation', () => {
  it('sees only the person who has it, only while this person types', async () => {
    const id = await present.visited();
    const feed = await present.follow(id, null);
    expect(await nextPeople(feed)).toEqual([]);
    // Before anybody has it, and of others, the user sees nothing.
    await present.report(id, talks.other, typing);
    await talks.act(id, 'takeover', { display_name: 'Anna' });
    await present.report(id, talks.member, reading);
    expect(await present.seen(id, null, typing)).toEqual([]);
    await present.report(id, talks.member, typing);
    expect(await nextPeople(feed)).toEqual([person('Anna', 'MEMBER', false, true)]);
    await present.report(id, talks.member, reading);
    expect(await nextPeople(feed)).toEqual([]);
  });

  it('sees the next person with the name of the next person', async () => {
    const id = await present.visited();
    await talks.act(id, 'takeover', { display_name: 'Anna' });
    await present.report(id, talks.member, typing);
    await present.report(id, talks.other, typing);
    const feed = await present.follow(id, null);
    expect(await nextPeople(feed)).toEqual([person('Anna', 'MEMBER', false, true)]);
    await talks.act(id, 'takeover', { display_name: 'Bob', force: true }, talks.other);
    expect(await nextPeople(feed)).toEqual([person('Bob', 'MEMBER', false, true)]);
    await talks.act(id, 'handback', {}, talks.other);
    expect(await nextPeople(feed)).toEqual([]);
  });

  it('can be an end user with a token, but not of the conversation of another one', async () => {
    const { service } = talks.parts;
    const [own, other] = [
      await endUserToken(service, present.open, 'own'),
      await endUserToken(service, present.open, 'other'),
    ];
    const id = await present.visited(own);
    await talks.act(id, 'takeover', { display_name: 'Anna' });
    await present.report(id, talks.member, typing);
    expect(await present.seen(id, own, typing)).toEqual([person('Anna', 'MEMBER', false, true)]);
    expect(errorOf(await present.report(id, other, typing))?.code).toBe('not_found');
    expect(errorOf(await present.report(id, null, typing))?.code).toBe('unauthorized');
    const stranger = await present.follow(id, other);
    expect(stranger.rejection?.body.errors[0].extensions.code).toBe('NOT_FOUND');
    const reads = await endUserToken(service, present.open, 'own', { scopes: ['CONVERSATIONS_READ'] });
    expect(errorOf(await present.report(id, reads, typing))?.code).toBe('forbidden');
    expect(await nextPeople(await present.follow(id, reads))).toEqual([person('Anna', 'MEMBER', false, true)]);
  });

  it('can be represented by a server or a page of the team, with `asUser`', async () => {
    const id = await talks.started();
    await talks.act(id, 'takeover', { display_name: 'Anna' });
    await present.report(id, talks.member, typing);
    const key = await makeKey(present.service, { scopes: ['conversations:read', 'conversations:write'] });
    expect(errorOf(await present.report(id, key, typing))).toMatchObject({ code: 'forbidden' });
    expect(await present.seen(id, key, { isTyping: true, asUser: true })).toEqual([
      person('Anna', 'MEMBER', false, true),
    ]);
    expect(await nextPeople(await present.follow(id, talks.member, true))).toEqual([
      person('Anna', 'MEMBER', false, true),
    ]);
    expect(await present.seen(id, talks.other, reading)).toEqual(
      expect.arrayContaining([person(null, 'USER', false, true), person('admin', 'MEMBER', true)]),
    );
  });
});
