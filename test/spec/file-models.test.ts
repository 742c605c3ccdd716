import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { newPicture, uploadFile } from '../support/uploads.ts';

let provided: ProviderService;
let agent: string;
beforeAll(async () => {
  provided = await startProviderService();
  agent = await provided.agent({ clientTools: [{ name: 'upload_document', availability: 'always' }] });
  provided.provider.reply({ kind: 'answer', deltas: ['I see.'] });
});
afterAll(() => provided.close());

const lastPrompt = () => JSON.stringify(provided.provider.requests.at(-1)?.body);

describe('the model', () => {
  it('gets the bytes of an uploaded file, also in later turns, and a note when it is gone', async () => {
    const { service } = provided;
    const bytes = newPicture();
    const picture = await uploadFile(service, { bytes });
    const text = await uploadFile(service, {
      bytes: Buffer.from('The secret word is plum.'),
      mime_type: 'text/plain',
      name: 'words.txt',
    });
    const first = await provided.turn(agent, { content: [picture.part, text.part] });
    expect(first.status).toBe(200);
    expect(lastPrompt()).toContain(bytes.toString('base64'));
    expect(lastPrompt()).toContain('The secret word is plum.');
    expect(lastPrompt()).toContain('words.txt');
    await provided.turn(agent, { conversation_id: first.body.conversation_id });
    expect(lastPrompt()).toContain(bytes.toString('base64'));
    await service.service.services.stores.prisma.fileUse.deleteMany({ where: { fileId: picture.id } });
    await service.service.services.stores.prisma.storedFile.deleteMany({ where: { id: picture.id } });
    const later = await provided.turn(agent, { conversation_id: first.body.conversation_id });
    expect(later.status).toBe(200);
    expect(lastPrompt()).toContain('it was deleted');
  });

  it('gets the files of upload_document', async () => {
    const { service, provider } = provided;
    provider.reply({ kind: 'answer', calls: [{ name: 'upload_document', arguments: '{"prompt":"A photo, please"}' }] });
    const paused = (await provided.turn(agent)).body;
    const [call] = paused.client_tool_calls;
    const bytes = newPicture();
    const { part } = await uploadFile(service, { bytes });
    provider.reply({ kind: 'answer', deltas: ['Nice.'] });
    const done = await provided.turn(agent, {
      conversation_id: paused.conversation_id,
      tool_results: [{ call_id: call.call_id, output: { content: [part] } }],
    });
    expect([done.status, done.body.content]).toEqual([200, 'Nice.']);
    expect(lastPrompt()).toContain(bytes.toString('base64'));
  });
});
