import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../src/db/transaction.ts';
import { eraseConversations } from '../../src/domain/conversations/erase.ts';
import { sweepFiles } from '../../src/domain/files/sweeper.ts';
import { branchesOf } from '../support/branching.ts';
import type { FakeReply, FakeRequest } from '../support/fake-provider.ts';
import { isSummaryRequest } from '../support/memory-provider.ts';
import type { ProviderService } from '../support/provider-service.ts';
import {
  CALL_TOOL,
  filePart,
  imagePart,
  pngOf,
  type ResultTalks,
  startResultTalks,
  WITH_TOOL,
} from '../support/result-talks.ts';
import { COMPACT, LONG, replyWith, Talk } from '../support/talk.ts';
import { makeDeployment } from '../support/tenants.ts';

let talks: ResultTalks;
let provided: ProviderService;
beforeAll(async () => {
  talks = await startResultTalks();
  provided = talks.provided;
});
afterAll(() => talks.close());

const prisma = () => provided.service.service.services.stores.prisma;

/** A part of a message, or a message, in the protocol of any provider. */
interface Sent {
  readonly role: string;
  readonly text: string;
  readonly is_error?: boolean;
  readonly content: readonly Sent[];
}

/** The messages of a request. */
const messagesOf = (request: FakeRequest | undefined) => request?.body.messages as readonly Sent[];

/** The content of the result in a request to Anthropic. */
const resultIn = (request: FakeRequest | undefined) =>
  messagesOf(request)
    .flatMap(({ content }) => content)
    .find((part) => 'is_error' in part || 'tool_use_id' in part) as Sent;

const fileOf = async (talk: Talk) => {
  const [file] = (await talks.output(talk)).files ?? [];
  if (!file) throw new Error('the output has no file');
  return file;
};

describe('a picture in a result of an MCP tool', () => {
  it.each(['openai:m', 'openai-compatible:gemini-m'])('follows the results in the protocol of %s', async (model) => {
    const picture = pngOf();
    const talk = await talks.talk({ parts: [{ type: 'text', text: 'The page:' }, imagePart(picture)] }, { model });
    const [, second] = talk.requests;
    const messages = messagesOf(second);
    const result = messages.find(({ role }) => role === 'tool');
    expect(JSON.parse(String(result?.content))).toMatchObject({ content: 'The page:\n[image: image-1.png]' });
    expect(messages.at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'Files of these results:\nweb_shot:' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${picture.toString('base64')}` } },
      ],
    });
    expect(messages.map(({ role }) => role).slice(-4)).toEqual(['assistant', 'tool', 'assistant', 'user']);
  });

  it('is in the result itself in the protocol of Anthropic', async () => {
    const [picture, paper] = [pngOf(), Buffer.from('%PDF-1.7 report')];
    const parts = [imagePart(picture), filePart(paper, 'application/pdf')];
    const talk = await talks.talk({ parts }, { model: 'anthropic:m' });
    const [text, image, document] = resultIn(talk.requests[1]).content;
    expect(text?.text).toContain('[image: image-1.png]\\n[resource: May report.pdf]');
    const source = { type: 'base64', media_type: 'image/png', data: picture.toString('base64') };
    expect(image).toMatchObject({ type: 'image', source });
    expect(document).toMatchObject({ type: 'document', source: { data: paper.toString('base64') } });
  });

  it.each(['openai:m', 'anthropic:m'])('is at the same place of later prompts of %s', async (model) => {
    const talk = await talks.talk({ parts: [imagePart(pngOf())] }, { model });
    provided.provider.reply(replyWith('Yes.'));
    await talk.say('Is it red?');
    const [, second, third] = talk.requests.map((request) => messagesOf(request));
    const before = JSON.stringify(second).replaceAll(/,"cache_control":\{[^}]*\}/g, '');
    const after = JSON.stringify(third).replaceAll(/,"cache_control":\{[^}]*\}/g, '');
    expect(after.startsWith(before.slice(0, -1))).toBe(true);
  });

  it('follows a result that failed, which still says so', async () => {
    const picture = pngOf();
    const talk = await talks.talk({ parts: [imagePart(picture)], isError: true }, { model: 'anthropic:m' });
    expect(await talks.output(talk)).toMatchObject({ error: 'The tool failed.', files: [{ name: 'image-1.png' }] });
    expect(resultIn(talk.requests[1]).is_error).toBe(true);
    expect(JSON.stringify(messagesOf(talk.requests[1]).at(-1))).toContain(picture.toString('base64'));
  });

  it('is a note if the provider rejects it, and the turn goes on', async () => {
    const talk = await Talk.with(provided, { ...WITH_TOOL, model: 'anthropic:m' });
    talks.result({ parts: [imagePart(pngOf())] });
    const rejects = (request: FakeRequest): FakeReply =>
      JSON.stringify(request.body).includes('"type":"image"') ? { kind: 'status', status: 400 } : replyWith('Sorry.');
    provided.provider.reply(CALL_TOOL, rejects);
    expect((await talk.say('Look.')).content).toBe('Sorry.');
    const last = JSON.stringify(messagesOf(talk.requests.at(-1)));
    expect(last).toContain('the provider of this model refused it');
  });

  it('is a note for a model whose provider does not take its type', async () => {
    const sound = Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(4), Buffer.from('WAVEfmt '), pngOf()]);
    const part = { type: 'audio', data: sound.toString('base64'), mimeType: 'audio/wav' };
    const talk = await talks.talk({ parts: [part] }, { model: 'anthropic:m' });
    expect(JSON.stringify(messagesOf(talk.requests[1]))).toContain('does not take files of this type');
    expect(await fileOf(talk)).toMatchObject({ mime_type: 'audio/wav', name: 'audio-1.wav' });
  });

  it('has a reference in the stored output and in the API', async () => {
    const picture = pngOf();
    const talk = await talks.talk({ parts: [imagePart(picture)] });
    const file = await fileOf(talk);
    const reference = { name: 'image-1.png', mime_type: 'image/png', size_bytes: picture.byteLength };
    expect(file).toEqual({ ...reference, file_id: file.file_id, file_uri: `parley:${file.file_id}` });
    const { body } = await provided.service.send('GET', `/v1/files/${file.file_id}?conversation_id=${talk.id}`);
    expect(body).toMatchObject({ name: 'image-1.png', size_bytes: picture.byteLength });
    const query = `query ($id: ID!) { conversation(id: $id) { history(first: 9) { nodes {
      ... on ActionCall { files { fileId url } } } } } }`;
    const shown = (await provided.service.graphql(query, { id: talk.id })).body.data.conversation.history.nodes;
    const [known] = shown.flatMap(({ files = [] }: { files?: { fileId: string; url: string }[] }) => files);
    expect(known.fileId).toBe(file.file_id);
    const { pathname, search } = new URL(known.url);
    const bytes = await (await fetch(`${provided.service.url}${pathname}${search}`)).arrayBuffer();
    expect(Buffer.from(bytes).equals(picture)).toBe(true);
  });
});

describe('the files of results', () => {
  it('are deleted with their conversation, and their bytes too', async () => {
    const before = await talks.stored();
    const talk = await talks.talk({ parts: [imagePart(pngOf())] });
    const { file_id } = await fileOf(talk);
    expect(await talks.stored()).toBe(before + 1);
    const remove = 'mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename } }';
    await provided.service.graphql(remove, { id: talk.id });
    expect((await provided.service.send('GET', `/v1/files/${file_id}`)).status).toBe(404);
    await sweepFiles(provided.service.service.services);
    expect(await talks.stored()).toBe(before);
  });

  it('expire if the turn ends before their result is stored', async () => {
    const before = await talks.stored();
    const talk = await Talk.with(provided, WITH_TOOL);
    const during = async () => {
      const running = await prisma().run.findFirstOrThrow({ where: { status: 'running' } });
      await inTransaction(prisma(), (tx) => eraseConversations(tx, running.environmentId, [running.conversationId]));
    };
    talks.result({ parts: [imagePart(pngOf())], during });
    provided.provider.reply(CALL_TOOL, replyWith('I see.'));
    await talk.send({ content: [{ type: 'text', text: 'Look.' }] });
    const [file] = await prisma().storedFile.findMany({ orderBy: { createdAt: 'desc' }, take: 1 });
    expect(file).toMatchObject({ name: 'image-1.png', status: 'ready', usedAt: null });
    expect(await talks.stored()).toBe(before + 1);
    await prisma().storedFile.updateMany({ where: { id: file?.id as string }, data: { expiresAt: new Date(0) } });
    await sweepFiles(provided.service.service.services);
    expect(await talks.stored()).toBe(before);
  });

  it('stay readable in a fork after the conversation was deleted', async () => {
    const picture = pngOf();
    const talk = await talks.talk({ parts: [imagePart(picture)] }, { model: 'anthropic:m' });
    const { body } = await branchesOf(provided.service).fork(talk.id);
    const remove = 'mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename } }';
    await provided.service.graphql(remove, { id: talk.id });
    provided.provider.reply(replyWith('Yes.'));
    talk.forget();
    await talk.send({ conversation_id: body.conversation_id, content: [{ type: 'text', text: 'Is it red?' }] });
    expect(JSON.stringify(talk.requests[0]?.body)).toContain(picture.toString('base64'));
  });

  it('reach the model without a conversation, and expire', async () => {
    const picture = pngOf();
    const deployment = await provided.agent(WITH_TOOL);
    talks.result({ parts: [imagePart(picture)] });
    provided.provider.reply(CALL_TOOL, replyWith('I see.'));
    const { status } = await provided.service.send('POST', `/v1/runner/${deployment}`, {
      body: { content: [{ type: 'text', text: 'Look.' }] },
    });
    expect(status).toBe(200);
    expect(JSON.stringify(provided.provider.requests.at(-1)?.body)).toContain(picture.toString('base64'));
    const [file] = await prisma().storedFile.findMany({ orderBy: { createdAt: 'desc' }, take: 1 });
    expect(file).toMatchObject({ conversationId: null, usedAt: null });
    expect((file?.expiresAt.getTime() ?? 0) - Date.now()).toBeLessThanOrEqual(3_600_000);
  });

  it('can be opened again after a summary that got only the ends of their result', async () => {
    const long = { type: 'text', text: 'x'.repeat(6_000) };
    const paper = filePart(Buffer.from('The contract ends in May.'), 'text/plain', 'file:///contract.txt');
    const talk = await talks.talk({ parts: [long, paper, ...Array(6).fill(imagePart(pngOf()))] }, COMPACT);
    const { files = [] } = await talks.output(talk);
    expect(files).toHaveLength(7);
    for (let turn = 0; turn < 2; turn += 1) await talk.say(LONG);
    provided.provider.reply(replyWith('Noted.', 9_000));
    await talk.say('That is all.');
    talk.forget();
    const id = files[0]?.file_id;
    let hasCalled = false;
    provided.provider.reply((request) => {
      if (isSummaryRequest(request)) return replyWith('They spoke.');
      if (hasCalled) return replyWith('In May.');
      hasCalled = true;
      return { kind: 'answer', calls: [{ name: 'read_file', arguments: JSON.stringify({ file_id: id }) }] };
    });
    await talk.say('When does it end?');
    const summaries = await talk.summaries();
    for (const file of files) expect(summaries[0]?.text).toContain(file.file_id);
    expect(JSON.stringify(talk.requests.at(-1)?.body)).toContain('The contract ends in May.');
  });

  it('count in the space of the environment, and the model learns that the space is full', async () => {
    const set = (fileMegabytes: number | null) => prisma().environment.updateMany({ data: { fileMegabytes } });
    await set(1);
    const large = Buffer.concat([pngOf(), Buffer.alloc(1_100_000)]);
    const talk = await talks.talk({ parts: [imagePart(large)] });
    await set(null);
    expect((await talks.output(talk)).content).toContain('the files of this service have no more space');
  });
});

const ASYNC = { prefer: 'respond-async' };

describe('the files of results of a turn without credentials', () => {
  it.each([200, 202])('count in the share of its address, with the status %d', async (expected) => {
    const options = { kind: 'agent', authRequired: false } as const;
    const { id } = await makeDeployment(provided.service, WITH_TOOL, options);
    talks.result({ parts: [imagePart(pngOf())] });
    const asked = Promise.withResolvers<FakeRequest>();
    provided.provider.reply(CALL_TOOL, (request) => {
      asked.resolve(request);
      return replyWith('I see.');
    });
    const { status } = await provided.service.send('POST', `/v2/runner/${id}/conversation`, {
      key: null,
      headers: expected === 202 ? ASYNC : {},
      body: { content: [{ type: 'text', text: 'Look.' }] },
    });
    expect(status).toBe(expected);
    await asked.promise;
    const [file] = await prisma().storedFile.findMany({ orderBy: { createdAt: 'desc' }, take: 1 });
    expect(file?.shareKey).toMatch(/^address_/);
    expect(file?.usedAt).not.toBeNull();
  });
});
