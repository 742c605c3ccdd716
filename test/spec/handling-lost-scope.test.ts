import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expireHandling } from '../../src/domain/agent/handling/expired-handling.ts';
import { act } from '../support/handled-conversations.ts';
import { HandledTalks } from '../support/handled-talks.ts';
import { makeKey, makeMember, openSession, openSessionOf } from '../support/tenants.ts';

let talks: HandledTalks;
let owner: string;
beforeAll(async () => {
  talks = await HandledTalks.start();
  owner = await openSession(talks.parts.service, 'owner');
});
afterAll(() => talks.parts.close());
beforeEach(() => talks.reset());

const sweep = () => expireHandling(talks.parts.service.service.services);

async function asOwner(name: string, type: string, input: object): Promise<void> {
  const query = `mutation ($input: ${type}!) { ${name}(input: $input) { __typename ... on Error { message } } }`;
  const { body } = await talks.parts.service.graphql(query, { input }, { key: owner });
  expect(body.data[name].message).toBeUndefined();
}

/** Lets the person with this credential have a conversation for a day. */
async function heldBy(token: string): Promise<string> {
  const id = await talks.started();
  const body = { display_name: 'Anna', hold_minutes: 1_440 };
  expect((await act(talks.parts.service, id, 'takeover', { token, body })).status).toBe(200);
  return id;
}

const member = async () => {
  const userId = await makeMember(talks.parts.service, 'developer');
  return { userId, token: await openSessionOf(talks.parts.service, userId) };
};

describe('a person who can no longer handle conversations', () => {
  it.each<[string, () => Promise<{ token: string; lose: () => Promise<void> }>]>([
    [
      'was removed from the workspace',
      async () => {
        const { userId, token } = await member();
        return { token, lose: () => asOwner('removeMember', 'RemoveMemberInput', { userId }) };
      },
    ],
    [
      'became a viewer',
      async () => {
        const { userId, token } = await member();
        return { token, lose: () => asOwner('updateMember', 'UpdateMemberInput', { userId, role: 'VIEWER' }) };
      },
    ],
    [
      'is a key that was revoked',
      async () => {
        const token = await makeKey(talks.parts.service, { scopes: ['conversations:handle'] });
        const lose = async () => {
          const { id } = await talks.db.apiKey.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
          await asOwner('revokeApiKey', 'RevokeApiKeyInput', { id });
        };
        return { token, lose };
      },
    ],
    [
      'is a key that has expired',
      async () => {
        const token = await makeKey(talks.parts.service, { scopes: ['conversations:handle'] });
        const lose = async () => {
          const { id } = await talks.db.apiKey.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
          await talks.db.apiKey.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1_000) } });
        };
        return { token, lose };
      },
    ],
  ])('and %s loses its conversations, which wait for another person', async (_what, given) => {
    const { token, lose } = await given();
    const id = await heldBy(token);
    const own = await heldBy(talks.member);
    await sweep();
    expect((await talks.conversation(id)).handling).toBe('member');
    await lose();
    await sweep();
    expect(await talks.conversation(id)).toMatchObject({ handling: 'waiting', holderId: null });
    expect((await talks.conversation(own)).handling).toBe('member');
    expect((await talks.act(id, 'takeover')).status).toBe(200);
  });
});
