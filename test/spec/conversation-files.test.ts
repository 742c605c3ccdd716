import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { globalId } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeWorkspace } from '../support/tenants.ts';

const hosted = (name: string) => ({ type: 'image', mime_type: 'image/png', file_uri: `https://example.com/${name}` });
const INLINE = { type: 'data', mime_type: 'text/plain', data: 'SGVsbG8=' };

let service: TestService;
let conversationId: string;
let empty: string;
beforeAll(async () => {
  service = await startService();
  conversationId = (await service.agentTurn('one', { content: [hosted('a'), ...textContent('Look'), hosted('b')] }))
    .body.conversation_id;
  await service.agentTurn('two', { conversation_id: conversationId });
  await service.agentTurn('three', { conversation_id: conversationId, content: [...textContent('More'), INLINE] });
  empty = (await service.agentTurn('Hello')).body.conversation_id;
});
afterAll(() => service.close());

const PAGE = `files(first: $first, after: $after, last: $last, before: $before) {
  nodes { id mimeType part { type ... on FilePart { fileUri } ... on DataPart { data } } message { role } }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount }`;

async function pageOf(id: string, paging: object = {}, key = service.keys.live) {
  const query = `query ($id: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    conversation(id: $id) { ${PAGE} } }`;
  const { body } = await service.graphql(query, { id, ...paging }, { key });
  expect(body.errors).toBeUndefined();
  return body.data.conversation?.files;
}

const FILES = [
  { mimeType: 'image/png', part: { type: 'IMAGE', fileUri: 'https://example.com/a' }, message: { role: 'USER' } },
  { mimeType: 'image/png', part: { type: 'IMAGE', fileUri: 'https://example.com/b' }, message: { role: 'USER' } },
  { mimeType: 'text/plain', part: { type: 'DATA', data: 'SGVsbG8=' }, message: { role: 'USER' } },
];

describe('the files of a conversation', () => {
  it('are the parts of its messages that are not text, in order', async () => {
    const { nodes, totalCount } = await pageOf(conversationId);
    expect(nodes).toMatchObject(FILES);
    expect(totalCount).toBe(3);
    expect(await pageOf(empty)).toMatchObject({ nodes: [], totalCount: 0 });
  });

  it('continue within a message, in both directions', async () => {
    const first = await pageOf(conversationId, { first: 1 });
    expect(first.nodes).toMatchObject(FILES.slice(0, 1));
    const second = await pageOf(conversationId, { first: 1, after: first.pageInfo.endCursor });
    expect(second.nodes).toMatchObject(FILES.slice(1, 2));
    const last = await pageOf(conversationId, { last: 1 });
    expect(last.nodes).toMatchObject(FILES.slice(2));
    const before = await pageOf(conversationId, { last: 5, before: last.pageInfo.startCursor });
    expect(before.nodes).toMatchObject(FILES.slice(0, 2));
    expect(before.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
  });

  it('are read together for a page of conversations, each with its own', async () => {
    const { body } = await service.graphql(
      '{ conversations { nodes { conversationId files(first: 2) { nodes { mimeType } totalCount } } } }',
    );
    const ofEach = new Map(
      body.data.conversations.nodes.map((node: { conversationId: string; files: object }) => [
        node.conversationId,
        node.files,
      ]),
    );
    const image = { mimeType: 'image/png' };
    expect(ofEach.get(conversationId)).toEqual({ nodes: [image, image], totalCount: 3 });
    expect(ofEach.get(empty)).toEqual({ nodes: [], totalCount: 0 });
  });

  it('are nodes', async () => {
    const { nodes } = await pageOf(conversationId);
    const ids = nodes.map(({ id }: { id: string }) => id);
    const read = async (wanted: readonly string[], key = service.keys.live) => {
      const query =
        'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on ConversationFile { conversation { conversationId } } } }';
      return (await service.graphql(query, { ids: wanted }, { key })).body.data.nodes;
    };
    expect(await read(ids)).toEqual(ids.map((id: string) => ({ id, conversation: { conversationId } })));
    const text = Buffer.from(ids[0], 'base64').toString().replace(/:0$/, ':1');
    const others = [
      Buffer.from(text).toString('base64'),
      ...['1', 'x:0', '1:x'].map((id) => globalId('ConversationFile', id)),
    ];
    expect(await read(others)).toEqual(others.map(() => null));
    expect(await read(ids, service.keys.test)).toEqual(ids.map(() => null));
  });

  it('belong to the environment', async () => {
    const { keys } = await makeWorkspace(service);
    for (const key of [service.keys.test, keys.live]) expect(await pageOf(conversationId, {}, key)).toBeUndefined();
  });

  it('are found by an index of the messages with files', async () => {
    const { prisma } = service.service.services.stores;
    const plan = await prisma.$transaction(async (tx) => {
      await tx.$executeRawUnsafe('SET LOCAL enable_seqscan = off');
      const rows = await tx.$queryRawUnsafe<object[]>(
        `EXPLAIN SELECT 1 FROM timeline_item WHERE conversation_id = '${conversationId}'
           AND content @? '$[*]?(@."type" != "text")' ORDER BY id`,
      );
      return rows.map((row) => Object.values(row)[0]).join('\n');
    });
    expect(plan).toContain('timeline_item_files');
  });
});
