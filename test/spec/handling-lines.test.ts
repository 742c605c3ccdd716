import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { branchesOf } from '../support/branching.ts';
import { HandledTalks } from '../support/handled-talks.ts';

let talks: HandledTalks;
beforeAll(async () => {
  talks = await HandledTalks.start();
});
afterAll(() => talks.parts.close());
beforeEach(() => talks.reset());

const path = (id: string) => `/v1/runner/conversation/${id}`;

const regenerate = (id: string) => talks.parts.service.send('POST', `${path(id)}/regenerate`, { body: {} });

describe('an edit or another reply', () => {
  it('is refused while a person has the conversation', async () => {
    const id = await talks.started();
    await talks.act(id, 'takeover', { display_name: 'Anna' });
    const { status, body } = await regenerate(id);
    expect([status, body.error]).toMatchObject([409, { code: 'handling_conflict', author: { display_name: 'Anna' } }]);
  });

  it('does not replace what a person has written, but a fork can go back before it', async () => {
    const id = await talks.started();
    const [question] = await branchesOf(talks.parts.service).messages(id);
    await talks.act(id, 'takeover');
    await talks.answer(id, 'I have sent it.');
    await talks.act(id, 'handback');
    for (const refused of [
      await regenerate(id),
      await talks.parts.service.send('PATCH', `${path(id)}/messages/${question?.id}`, {
        body: { content: [{ type: 'text', text: 'Other' }] },
      }),
    ]) {
      expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_request']);
      expect(refused.body.error.message).toContain('A person has answered');
    }
    const forked = await talks.parts.service.send('POST', `${path(id)}/fork`, { body: {} });
    expect(forked.status).toBe(201);
    expect((await talks.texts(forked.body.conversation_id)).at(-1)).toBe('assistant: I have sent it.');
    expect((await talks.conversation(forked.body.conversation_id)).handling).toBe('assistant');
  });
});

describe('the client of a waiting turn', () => {
  it('can still answer after messages were stored for a person', async () => {
    const agent = await talks.parts.agent({ clientTools: [{ name: 'look_up', availability: 'always' }] });
    talks.parts.provider.reply({ kind: 'answer', calls: [{ name: 'look_up', arguments: '{}' }] });
    const paused = (await talks.parts.turn(agent)).body;
    const id = paused.conversation_id;
    await talks.act(id, 'takeover');
    const said = await talks.parts.turn(agent, { conversation_id: id, content: [{ type: 'text', text: 'Hello?' }] });
    expect(said.body.handled_by).toBe('member');
    await talks.answer(id, 'One moment.');
    talks.parts.provider.reply({ kind: 'answer', deltas: ['Found.'] });
    const [call] = paused.client_tool_calls;
    const resumed = await talks.parts.turn(agent, {
      conversation_id: id,
      tool_results: [{ call_id: call.call_id, output: { found: true } }],
    });
    expect([resumed.status, resumed.body.content]).toEqual([200, 'Found.']);
    // Providers want to be asked by a user.
    expect(talks.lastPrompt).toContain('The last message is of a person of the team');
  });
});
