import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERASE_END_USER, endUserToken } from '../support/end-users.ts';
import { expectError } from '../support/error-bodies.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';
import { newPicture, startUpload, type TestFile, uploadFile } from '../support/uploads.ts';

let service: TestService;
let ada: string;
let bob: string;
let bound: string;
beforeAll(async () => {
  service = await startService();
  ada = await endUserToken(service, DEMO_CHAT_ID, 'ada');
  bob = await endUserToken(service, DEMO_CHAT_ID, 'bob');
  bound = await makeKey(service, {
    scopes: ['conversations:read', 'conversations:write'],
    deploymentIds: [DEMO_CHAT_ID],
  });
});
afterAll(() => service.close());

const upload = (key: string) => uploadFile(service, { bytes: newPicture(), deployment_id: DEMO_CHAT_ID }, { key });

const send = (key: string, { part }: TestFile, fields: object = {}) => {
  const content = [{ type: 'text', text: 'Look' }, part];
  return service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, { key, body: { content, ...fields } });
};

const read = (key: string, id: string, query: string) => service.send('GET', `/v1/files/${id}?${query}`, { key });

describe('files of end users', () => {
  it('belong to the user who uploaded them', async () => {
    const file = await upload(ada);
    expect(await read(ada, file.id, `deployment_id=${DEMO_CHAT_ID}`)).toMatchObject({ status: 200 });
    for (const key of [bob, bound]) {
      expectError(await read(key, file.id, `deployment_id=${DEMO_CHAT_ID}`), 'not_found');
      expectError(await send(key, file), 'invalid_request', { param: 'content[1].file_uri' });
    }
    expect(await read(service.key, file.id, '')).toMatchObject({ status: 200 });
  });

  it('are read through a conversation only by its user', async () => {
    const file = await upload(ada);
    const { status, body } = await send(ada, file);
    expect(status).toBe(200);
    const conversation = `conversation_id=${body.conversation_id}`;
    expect(await read(ada, file.id, conversation)).toMatchObject({ status: 200 });
    expectError(await read(bob, file.id, conversation), 'not_found');
    const own = await send(bob, await upload(bob));
    expectError(await read(bob, file.id, `conversation_id=${own.body.conversation_id}`), 'not_found');
    expectError(await send(bob, file, { conversation_id: own.body.conversation_id }), 'invalid_request');
  });

  it('are uploaded only for a deployment of the token', async () => {
    expectError(await startUpload(service, { deployment_id: DEMO_AGENT_ID }, { key: ada }), 'not_found');
    expectError(await startUpload(service, {}, { key: ada }), 'not_found');
    expectError(await startUpload(service, { deployment_id: DEMO_AGENT_ID }, { key: bound }), 'not_found');
  });

  it('are erased with the user, whether a message uses them or not', async () => {
    const eve = await endUserToken(service, DEMO_CHAT_ID, 'eve');
    const [used, unused] = [await upload(eve), await upload(eve)];
    await send(eve, used);
    const { body } = await service.graphql(ERASE_END_USER, { input: { endUser: 'eve' } });
    expect(body.data.eraseEndUser).toMatchObject({ conversations: 1, isComplete: true });
    expectError(await read(service.key, used.id, ''), 'not_found');
    const row = await service.service.services.stores.prisma.storedFile.findFirst({ where: { id: unused.id } });
    expect(row === null || row.expiresAt <= new Date()).toBe(true);
  });
});
