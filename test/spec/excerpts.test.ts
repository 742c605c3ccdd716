import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { branchesOf, itemIdOf } from '../support/branching.ts';
import { personOf } from '../support/handling.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { newPicture, uploadFile } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service?.close();
});

interface Excerpt {
  readonly itemId: string;
  readonly role: string;
  readonly parts: readonly { readonly text: string; readonly isMatch: boolean }[];
}

const QUERY = `query ($id: ID!, $text: String) {
  conversation(id: $id) { excerpt(text: $text) { itemId role parts { text isMatch } }
    messages(last: 10) { nodes { itemId } } } }`;

async function talk(...texts: readonly string[]): Promise<string> {
  const { body } = await service.agentTurn(texts[0] ?? '');
  for (const text of texts.slice(1)) await service.agentTurn(text, { conversation_id: body.conversation_id });
  return body.conversation_id;
}

async function read(id: string, text?: string) {
  const { body } = await service.graphql(QUERY, { id, text });
  const { excerpt, messages } = body.data.conversation;
  return {
    excerpt: excerpt as Excerpt | null,
    ids: messages.nodes.map(({ itemId }: { itemId: string }) => itemId) as string[],
  };
}

const marked = (excerpt: Excerpt | null) =>
  excerpt?.parts.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join('');

describe('the excerpt of a conversation', () => {
  it('is of the newest message, and with words of the newest message that has them', async () => {
    const id = await talk('My café invoice is wrong', 'Another invoice, please', 'Thanks');
    const { excerpt, ids } = await read(id);
    expect(excerpt).toMatchObject({ itemId: ids[5], role: 'ASSISTANT' });
    expect(marked(excerpt)).toBe('You said: Thanks');
    expect(marked((await read(id, 'INVOICE')).excerpt)).toBe('You said: Another [invoice], please');
    const words = await read(id, 'invoice cafe');
    expect(marked(words.excerpt)).toBe('You said: My [café] [invoice] is wrong');
    expect(words.excerpt).toMatchObject({ itemId: ids[1], role: 'ASSISTANT' });
  });

  it('is of the newest message if only the name has the words', async () => {
    const id = await talk('Quarterly figures');
    await service.graphql(
      `mutation ($id: ID!) { updateConversation(input: { id: $id, name: "Zebra" }) { __typename } }`,
      { id },
    );
    expect(marked((await read(id, 'zebra')).excerpt)).toBe('You said: Quarterly figures');
  });

  it('is of the active variant, even if another one is newer', async () => {
    const id = await talk('Which one?');
    const branches = branchesOf(service);
    await branches.regenerate(id);
    const [, first, second] = await branches.messages(id, '&branch=all');
    expect((await read(id)).excerpt?.itemId).toBe(itemIdOf(second?.id));
    await branches.select(id, first?.id);
    expect((await read(id)).excerpt?.itemId).toBe(itemIdOf(first?.id));
    expect((await read(id, 'which')).excerpt?.itemId).toBe(itemIdOf(first?.id));
  });

  it('is null for a message without a text', async () => {
    const id = await talk('A picture follows');
    await (await personOf(service)).takeOver(id, 'Ada');
    const { part } = await uploadFile(service, { bytes: newPicture(), name: 'a.png' });
    const body = { conversation_id: id, content: [part] };
    const { status } = await service.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, { body });
    expect(status).toBe(200);
    expect((await read(id)).excerpt).toBeNull();
    expect(marked((await read(id, 'picture')).excerpt)).toBe('You said: A [picture] follows');
  });

  it('says at which argument a search text is invalid', async () => {
    const id = await talk('Hello');
    const { body } = await service.graphql(QUERY, { id, text: '!!!' });
    expect(body.errors[0].message).toMatch(/text must contain a letter or a digit/);
    expect(body.errors[0].extensions.code).toBe('INVALID_REQUEST');
  });

  it('takes as many statements for a list as for one conversation', async () => {
    for (let index = 0; index < 5; index += 1) await talk(`Statement ${index}`);
    const list = async (first: number, field: string) => {
      service.takeStatements();
      const filter = 'filter: { text: "statement" }';
      const { body } = await service.graphql(`{ conversations(first: ${first}, ${filter}) { nodes { ${field} } } }`);
      return { count: service.takeStatements().length, nodes: body.data.conversations.nodes };
    };
    const field = 'excerpt(text: "statement") { parts { text isMatch } }';
    const found = await list(10, field);
    expect(found.nodes.map(({ excerpt }: { excerpt: Excerpt }) => marked(excerpt))).toEqual(
      [4, 3, 2, 1, 0].map((index) => `You said: [Statement] ${index}`),
    );
    expect((await list(1, field)).count).toBe(found.count);
    const plain = (await list(10, 'name')).count;
    expect((await list(10, 'excerpt { itemId }')).count).toBe(plain + 1);
  });
});
