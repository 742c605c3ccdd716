import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileIdsIn } from '../../src/contract/file-uri.ts';
import { textContent } from '../support/agent-apis.ts';
import type { FakeRequest } from '../support/fake-provider.ts';
import { isSummaryRequest, promptOf } from '../support/memory-provider.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { COMPACT, LONG, MODELS, replyWith, Talk } from '../support/talk.ts';
import { type TestFile, uploadFile } from '../support/uploads.ts';

let provided: ProviderService;
beforeAll(async () => {
  provided = await startProviderService();
});
afterAll(() => provided.close());

const TEXT = 'The contract ends in May.';

const toolNames = ({ body }: FakeRequest) =>
  [...JSON.stringify(body.tools ?? []).matchAll(/"name":"(\w+)"/g)].map(([, name]) => name);

const sent = ({ body }: FakeRequest) => JSON.stringify(body.messages);

const uploadText = () =>
  uploadFile(provided.service, { bytes: Buffer.from(TEXT), name: 'contract.txt', mime_type: 'text/plain' });

/** A talk whose first message, with a file, will be summarized before the next step. */
async function talkWithFile(
  config: Parameters<ProviderService['agent']>[0] = COMPACT,
): Promise<{ talk: Talk; file: TestFile }> {
  const file = await uploadText();
  const talk = await Talk.with(provided, config);
  provided.provider.reply(replyWith('Noted.'));
  const content = [...textContent('My contract.'), file.part];
  await talk.say('', { content });
  for (let turn = 0; turn < 2; turn += 1) await talk.say(LONG);
  provided.provider.reply(replyWith('Noted.', 9_000));
  await talk.say('That is all.');
  talk.forget();
  return { talk, file };
}

/** The next turn: a summary, a call of read_file with this ID, and a reply. Returns the requests of the steps. */
async function readAgain(talk: Talk, fileId: string): Promise<readonly FakeRequest[]> {
  const call = { name: 'read_file', arguments: JSON.stringify({ file_id: fileId }) };
  let hasCalled = false;
  provided.provider.reply((request) => {
    if (isSummaryRequest(request)) return replyWith('They spoke.');
    if (hasCalled) return replyWith('In May.');
    hasCalled = true;
    return { kind: 'answer', calls: [call] };
  });
  await talk.say('When does it end?');
  return talk.requests.filter((request) => !isSummaryRequest(request));
}

describe.each(MODELS)('a file of a summarized message, with %s', (model) => {
  it('can be opened again by the model', async () => {
    const { talk, file } = await talkWithFile({ ...COMPACT, model });
    const [first, second] = await readAgain(talk, file.id);
    expect(toolNames(first as FakeRequest)).toEqual(['read_file']);
    expect(sent(first as FakeRequest)).not.toContain(TEXT);
    expect(sent(second as FakeRequest)).toContain(TEXT);
    expect(sent(second as FakeRequest)).toContain('Files of these results:');
    const [stored] = await talk.summaries();
    expect(fileIdsIn(stored?.text ?? '')).toEqual([file.id]);
    const items = await talk.items();
    expect(items.find(({ type }) => type === 'tool')).toMatchObject({ name: 'read_file', status: 'completed' });
  });
});

describe('the tool read_file', () => {
  it('is offered only once a summary names a file, and from then on in each step', async () => {
    const { talk, file } = await talkWithFile();
    const all = await readAgain(talk, file.id);
    expect(all.map(toolNames)).toEqual([['read_file'], ['read_file']]);
    provided.provider.reply(replyWith('Fine.'));
    talk.forget();
    await talk.say('Thanks.');
    expect(talk.requests.map(toolNames)).toEqual([['read_file']]);
    expect(promptOf(talk.requests[0] as FakeRequest).messages.join('')).toContain(TEXT);

    const without = await Talk.with(provided, COMPACT);
    await without.say('Hello');
    expect(without.requests.map(toolNames)).toEqual([[]]);
  });

  it.each([
    ['that does not exist', async () => 'file_01jd0000000000000000000000'],
    ['that is no ID', async () => 'contract\u0000.txt'],
    ['of no conversation', async () => (await uploadText()).id],
    ['of another conversation', async () => (await talkWithFile()).file.id],
  ])('opens no file %s', async (_which, idOf) => {
    const id = await idOf();
    const { talk } = await talkWithFile();
    const [, second] = await readAgain(talk, id);
    expect(sent(second as FakeRequest)).not.toContain(TEXT);
    expect(sent(second as FakeRequest)).toContain('This conversation has no file with this ID.');
  });

  it('is not offered and does not run if the workflow forbids it', async () => {
    const { talk, file } = await talkWithFile({ ...COMPACT, allowFileReading: false });
    const [first, second] = await readAgain(talk, file.id);
    expect(toolNames(first as FakeRequest)).toEqual([]);
    expect(sent(second as FakeRequest)).toContain('There is no tool read_file.');
  });

  it('does not run in a turn that continues after the workflow has forbidden it', async () => {
    const config = { ...COMPACT, clientTools: [{ name: 'look', availability: 'always' as const }] };
    const { talk, file } = await talkWithFile(config);
    const call = (name: string, input: object) => ({
      kind: 'answer' as const,
      calls: [{ name, arguments: JSON.stringify(input) }],
    });
    provided.provider.reply((request) => (isSummaryRequest(request) ? replyWith('They spoke.') : call('look', {})));
    const [{ call_id }] = (await talk.say('Look.')).client_tool_calls;
    const { prisma } = provided.service.service.services.stores;
    const { deploymentId: id } = await prisma.conversation.findFirstOrThrow({ where: { id: talk.id ?? '' } });
    await prisma.$executeRaw`
      INSERT INTO workflow_version (workflow_id, number, config, created_at)
      SELECT workflow_id, 2, config || '{"allowFileReading": false}', created_at FROM workflow_version
      WHERE workflow_id = (SELECT workflow_id FROM deployment WHERE id = ${id}::uuid)`;
    await prisma.deployment.update({ where: { id }, data: { publishedVersion: 2 } });
    provided.provider.reply(call('read_file', { file_id: file.id }), replyWith('I cannot.'));
    expect((await talk.send({ tool_results: [{ call_id, output: {} }] })).status).toBe(200);
    expect(sent(talk.requests.at(-1) as FakeRequest)).toContain('This tool is no longer available.');
  });

  it('leaves its name to a tool of the workflow', async () => {
    const clientTools = [
      { name: 'read_file', description: 'Reads a file of the shop.', availability: 'always' as const },
    ];
    const { talk } = await talkWithFile({ ...COMPACT, clientTools });
    provided.provider.reply((request) =>
      isSummaryRequest(request) ? replyWith('file_01jd0000000000000000000000') : replyWith('Ok.'),
    );
    await talk.say('And now?');
    const step = talk.requests.find((request) => !isSummaryRequest(request)) as FakeRequest;
    expect(toolNames(step)).toEqual(['read_file']);
    expect(JSON.stringify(step.body.tools)).toContain('Reads a file of the shop.');
  });
});
