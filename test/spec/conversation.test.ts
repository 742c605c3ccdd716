import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { graphText } from '../support/graph-content.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const SEND = `mutation ($input: SendMessageInput!) {
  sendMessage(input: $input) { __typename ... on SendMessagePayload { turn { conversationId content } } ... on Error { code message path } }
}`;

async function read(conversationId: string, query = '') {
  const { body } = await service.send('GET', `/v1/runner/conversation/${conversationId}/messages${query}`);
  return body;
}

const text = (items: { content: { text: string }[] }[]) => items.map(({ content }) => content[0]?.text);

describe('an ordinary turn', () => {
  it('starts a conversation and returns every field of the turn response', async () => {
    const { status, body } = await service.chat('Hello');
    expect(status).toBe(200);
    expect(body).toEqual({
      conversation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'active',
      completed_at: null,
      name: 'Hello',
      content: 'You said: Hello',
      model: 'demo',
      finish_reason: 'stop',
      input_tokens: expect.any(Number),
      output_tokens: 3,
      response_time: expect.any(Number),
      request_id: expect.any(String),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
  });

  it('continues through GraphQL a conversation started through REST, and reads the same content on both', async () => {
    const { body: started } = await service.chat('Hello');
    const conversationId: string = started.conversation_id;
    const input = { conversationId, content: graphText('Again') };
    const continued = await service.graphql(SEND, { input: { deploymentId: DEMO_CHAT_ID, ...input } });
    expect(continued.body.data.sendMessage.turn).toEqual({ conversationId, content: 'You said: Again' });

    const rest = await read(conversationId);
    expect(text(rest.items)).toEqual(['Hello', 'You said: Hello', 'Again', 'You said: Again']);
    expect(rest).toMatchObject({ total: 4, has_more: false, run_id: null, run_status: null });
    const graphql = await service.graphql(
      `query ($id: ID!) { conversation(id: $id) {
        messages { totalCount nodes { id: itemId role content { ... on TextPart { text } } } } } }`,
      { id: conversationId },
    );
    const { nodes, totalCount } = graphql.body.data.conversation.messages;
    expect(totalCount).toBe(4);
    expect(text(nodes)).toEqual(text(rest.items));
    expect(nodes.map(({ id }: { id: string }) => Number(id.replace('item_', '')))).toEqual(
      rest.items.map((item: { id: number }) => item.id),
    );
  });

  it('gives the model 5 earlier message pairs, or the number in history_limit', async () => {
    const { body } = await service.chat('message 0');
    const conversation_id: string = body.conversation_id;
    for (let index = 1; index < 8; index += 1) await service.chat(`message ${index}`, { conversation_id });
    const received = async (fields: object) =>
      JSON.parse((await service.chat('/history', { conversation_id, ...fields })).body.content);
    expect(await received({})).toEqual([3, 4, 5, 6, 7].map((index) => `message ${index}`).concat('/history'));
    expect(await received({ history_limit: 0 })).toEqual(['/history']);
    expect(await received({ history_limit: 3 })).toEqual(['message 7', '/history', '/history', '/history']);
    expect(await received({ history_limit: 100 })).toHaveLength(8 + 4);
  });

  it('fills the instructions with the variables of the first message, and unknown names with empty text', async () => {
    const { body: named } = await service.chat('/instructions', { variables: { NAME: 'Ann' } });
    expect(named.content).toContain('The customer is called Ann.');
    const later = await service.chat('/instructions', { conversation_id: named.conversation_id });
    expect(later.body.content).toContain('The customer is called Ann.');
    const { body: unnamed } = await service.chat('/instructions');
    expect(unnamed.content).toContain('The customer is called .');
  });

  it.each([
    ['Hello \t there,\u2028friend', 'Hello there,'],
    ['\u200b \u2800\n\ufe0f\nHello\r\nthere', 'Hello'],
    ['x'.repeat(80), 'x'.repeat(60)],
    [`${'word '.repeat(20)}`, 'word word word word word word word word word word word word'],
    // The last space is not near the end.
    [`Please ${'x'.repeat(80)}`, `Please ${'x'.repeat(53)}`],
    [`${'x'.repeat(39)} ${'y'.repeat(40)}`, `${'x'.repeat(39)} ${'y'.repeat(20)}`],
    [`${'x'.repeat(40)} ${'y'.repeat(40)}`, 'x'.repeat(40)],
    [`${'x'.repeat(59)}😀 and more`, 'x'.repeat(59)],
    [`${'x'.repeat(59)}e\u0301`, 'x'.repeat(59)],
    [`${'x'.repeat(55)}👩‍🚀👩‍🚀`, `${'x'.repeat(55)}👩‍🚀`],
    // A grapheme that is longer than a name.
    [`a${'\u0301'.repeat(80)}`, `a${'\u0301'.repeat(59)}`],
    ['\u202eevil\u202c \u2066\u200b\u0007name\u2069', 'evil name'],
    ['\u200b\u3164\u2800', 'New conversation'],
  ])('names a conversation after the first line of its text, without hidden characters: %j', async (message, name) => {
    expect((await service.chat(message)).body.name).toBe(name);
  });

  it('names a conversation without text "New conversation"', async () => {
    const content = [{ type: 'data', mime_type: 'image/png', data: 'aGVsbG8=' }];
    const path = `/v1/runner/${DEMO_CHAT_ID}/conversation`;
    expect((await service.send('POST', path, { body: { content } })).body).toMatchObject({
      name: 'New conversation',
      content: 'You said: (1 file)',
    });
  });

  it('keeps the user message of a failed turn, returns 502 with the conversation, and accepts the next turn', async () => {
    const failed = await service.chat('/fail');
    expect(failed).toMatchObject({ status: 502, body: { error: { code: 'model_error', type: 'api_error' } } });
    const { conversation_id, run_id } = failed.body.error;
    expect(run_id).toEqual(expect.any(String));
    const next = await service.chat('Hello', { conversation_id });
    expect(next.body.content).toBe('You said: Hello');
    expect(text((await read(conversation_id)).items)).toEqual(['/fail', 'Hello', 'You said: Hello']);
  });
});

describe('an agent turn', () => {
  it('returns every field of a finished turn', async () => {
    const { body } = await service.agentTurn('Hello', { meta: { topic: 'greeting', count: 3, urgent: true } });
    expect(body).toEqual({
      run_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      run_status: 'completed',
      conversation_id: expect.any(String),
      conversation_status: 'active',
      completed_at: null,
      name: 'Hello',
      content: 'You said: Hello',
      client_tool_calls: [],
      progress: [],
      model: 'demo',
      finish_reason: 'stop',
      input_tokens: expect.any(Number),
      output_tokens: 3,
      response_time: expect.any(Number),
      request_id: expect.any(String),
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect(await read(body.conversation_id)).toMatchObject({ run_id: body.run_id, run_status: 'completed' });
  });

  it('shares conversations with v1', async () => {
    const { body } = await service.agentTurn('Hello');
    const path = `/v1/runner/${DEMO_AGENT_ID}/conversation`;
    const fields = { conversation_id: body.conversation_id, content: textContent('and v1') };
    expect((await service.send('POST', path, { body: fields })).body.content).toBe('You said: and v1');
  });

  it('returns 504 when the model takes longer than the deployment allows', async () => {
    const { prisma } = service.service.services.stores;
    const { workflowId } = await prisma.deployment.findUniqueOrThrow({ where: { id: DEMO_AGENT_ID } });
    const config = { timeoutSeconds: 1 };
    await prisma.workflowVersion.create({ data: { workflowId, number: 2, config, createdAt: new Date() } });
    await prisma.deployment.update({ where: { id: DEMO_AGENT_ID }, data: { publishedVersion: 2 } });
    const late = await service.agentTurn('/slow 30');
    await prisma.deployment.update({ where: { id: DEMO_AGENT_ID }, data: { publishedVersion: 1 } });
    expect(late).toMatchObject({ status: 504, body: { error: { code: 'model_timeout' } } });
    expect(await read(late.body.error.conversation_id)).toMatchObject({ run_status: 'failed', total: 1 });
  });
});

describe('reads', () => {
  it('pages messages by number, with the oldest on page 1', async () => {
    const { body } = await service.chat('0');
    const conversation_id: string = body.conversation_id;
    for (const message of ['1', '2']) await service.chat(message, { conversation_id });
    const first = await read(conversation_id, '?page_size=4');
    expect(first).toMatchObject({ total: 6, page: 1, page_size: 4, has_more: true });
    expect(text(first.items)).toEqual(['0', 'You said: 0', '1', 'You said: 1']);
    const second = await read(conversation_id, '?page=2&page_size=4');
    expect(second).toMatchObject({ page: 2, has_more: false });
    expect(text(second.items)).toEqual(['2', 'You said: 2']);
    expect(await read(conversation_id, '?page=3&page_size=4')).toMatchObject({ items: [], has_more: false });
  });

  it('returns the newest page first, the oldest item of a page first, and every item once', async () => {
    const { body } = await service.agentTurn('0');
    const conversation_id: string = body.conversation_id;
    for (const message of ['1', '2', '3']) await service.agentTurn(message, { conversation_id });
    const base = `/v2/runner/${DEMO_AGENT_ID}/conversation/${conversation_id}/history?limit=3`;
    const pages: string[][] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await service.send('GET', cursor === '' ? base : `${base}&cursor=${encodeURIComponent(cursor)}`);
      const ids: string[] = page.body.items.map((item: { id: string }) => item.id);
      expect(ids).toEqual([...ids].sort());
      pages.push(ids);
      cursor = page.body.next_cursor;
    }
    expect(pages.map((page) => page.length)).toEqual([3, 3, 2]);
    const all = [...pages].reverse().flat();
    expect(all).toEqual([...new Set(all)].sort());
  });
});
