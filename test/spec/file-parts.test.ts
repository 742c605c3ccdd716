import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withCookies } from '../support/client.ts';
import { expectError } from '../support/error-bodies.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment, makeWorkspace } from '../support/tenants.ts';
import { addressOf, newPicture, startUpload, uploadFile } from '../support/uploads.ts';
import { visit } from '../support/visits.ts';

let service: TestService;
let open: { readonly id: string };
beforeAll(async () => {
  service = await startService();
  open = await makeDeployment(service, {}, { authRequired: false });
});
afterAll(() => service.close());

const ANONYMOUS = { key: null } as const;
const unknownUri = `parley:file_${'0'.repeat(26)}`;

const readFile = (id: string, query = '', key: string | null = service.keys.live) =>
  service.send('GET', `/v1/files/${id}${query}`, { key });

const chat = (
  content: readonly object[],
  fields: object = {},
  options: { key?: string | null } = {},
  id = DEMO_CHAT_ID,
) => service.send('POST', `/v1/runner/${id}/conversation`, { body: { content, ...fields }, ...options });

describe('a message with an uploaded file', () => {
  it('keeps its part unchanged, and GraphQL has the file', async () => {
    const file = await uploadFile(service, { bytes: newPicture(), name: 'cat.png' });
    const part = { ...file.part, type: 'image' };
    const { status, body } = await chat([part, { type: 'text', text: 'What is it?' }]);
    expect(status).toBe(200);
    const id = body.conversation_id;
    const { items } = (await service.send('GET', `/v1/runner/conversation/${id}/messages`)).body;
    expect(items[0].content[0]).toEqual(part);
    const query = `query ($id: ID!) { conversation(id: $id) {
      files(first: 5) { nodes { part { ... on FilePart { fileUri file { fileId name url } } } } } } }`;
    const { data } = (await service.graphql(query, { id })).body;
    const [node] = data.conversation.files.nodes;
    expect(node.part).toMatchObject({ fileUri: file.uri, file: { fileId: file.id, name: 'cat.png' } });
    expect((await fetch(addressOf(service, node.part.file.url))).status).toBe(200);
  });

  it('names the field if the file is unknown, unfinished, or of another environment', async () => {
    const unfinished = (await startUpload(service)).body.file_uri;
    const other = await uploadFile(service, {}, { key: service.keys.test });
    const stranger = await makeWorkspace(service);
    const foreign = await uploadFile(service, {}, { key: stranger.keys.live });
    for (const file_uri of [unknownUri, unfinished, other.uri, foreign.uri]) {
      const content = [
        { type: 'text', text: 'Look' },
        { type: 'image', mime_type: 'image/png', file_uri },
      ];
      for (const path of [
        `/v1/runner/${DEMO_CHAT_ID}`,
        `/v1/runner/${DEMO_CHAT_ID}/conversation`,
        `/v2/runner/${DEMO_AGENT_ID}/conversation`,
        `/v1/runner/${DEMO_CHAT_ID}/trigger`,
      ]) {
        const refused = await service.send('POST', path, { body: { content } });
        expectError(refused, 'invalid_request', { param: 'content[1].file_uri' });
      }
    }
    const malformed = await chat([{ type: 'url', mime_type: 'image/png', file_uri: 'parley:file_../../x' }]);
    expectError(malformed, 'invalid_request', { param: 'content[0].file_uri' });
    for (const file of [other, foreign]) expectError(await readFile(file.id), 'not_found');
  });

  it('can come from a trigger', async () => {
    const file = await uploadFile(service, { bytes: newPicture() });
    const trigger = await service.send('POST', `/v1/runner/${open.id}/trigger`, { body: { content: [file.part] } });
    expect(trigger.status).toBe(200);
    const started = await chat([], { trigger_id: trigger.body.id }, ANONYMOUS, open.id);
    expect(started.status).toBe(200);
    const read = await readFile(file.id, `?conversation_id=${started.body.conversation_id}`, null);
    expect(read.status).toBe(200);
  });

  it('can be the result of upload_document', async () => {
    const asked = (await service.agentTurn('/upload', { client_capabilities: ['upload_document'] })).body;
    const [call] = asked.client_tool_calls;
    const resume = (file_uri: string) =>
      service.agentTurn('', {
        content: undefined,
        conversation_id: asked.conversation_id,
        tool_results: [
          { call_id: call.call_id, output: { content: [{ type: 'url', mime_type: 'image/png', file_uri }] } },
        ],
      });
    expectError(await resume(unknownUri), 'invalid_tool_result', {
      param: 'tool_results[0].output.content[0].file_uri',
    });
    const file = await uploadFile(service, { bytes: newPicture() });
    expect((await resume(file.uri)).status).toBe(200);
    const { status } = await readFile(file.id, `?conversation_id=${asked.conversation_id}`);
    expect(status).toBe(200);
  });
});

describe('callers without credentials', () => {
  it('upload for a deployment that is open to them, and use the file in their conversation', async () => {
    const bytes = newPicture();
    expectError(await startUpload(service, { bytes }, ANONYMOUS), 'unauthorized');
    expectError(await startUpload(service, { bytes, deployment_id: DEMO_AGENT_ID }, ANONYMOUS), 'unauthorized');
    const file = await uploadFile(service, { bytes, deployment_id: open.id }, ANONYMOUS);
    const { status, body } = await chat([file.part], {}, ANONYMOUS, open.id);
    expect(status).toBe(200);
    const own = `?conversation_id=${body.conversation_id}`;
    expect((await readFile(file.id, own, null)).status).toBe(200);
    expectError(await readFile(file.id, '', null), 'unauthorized');
    expectError(await readFile(file.id, `?deployment_id=${open.id}`, null), 'not_found');
    // Another conversation does not have it, and cannot take it.
    const other = await chat([{ type: 'text', text: 'Hello' }], {}, ANONYMOUS, open.id);
    expectError(await readFile(file.id, `?conversation_id=${other.body.conversation_id}`, null), 'not_found');
    const taken = await chat([file.part], { conversation_id: other.body.conversation_id }, ANONYMOUS, open.id);
    expectError(taken, 'invalid_request', { param: 'content[0].file_uri' });
    // Its own conversation can use it again.
    const again = await chat([file.part], { conversation_id: body.conversation_id }, ANONYMOUS, open.id);
    expect(again.status).toBe(200);
  });

  it('cannot use or read the files of callers with credentials, or of another deployment', async () => {
    const internal = await uploadFile(service, { bytes: newPicture() });
    const second = await makeDeployment(service, {}, { authRequired: false });
    const elsewhere = await uploadFile(service, { bytes: newPicture(), deployment_id: second.id }, ANONYMOUS);
    for (const file of [internal, elsewhere]) {
      expectError(await chat([file.part], {}, ANONYMOUS, open.id), 'invalid_request', { param: 'content[0].file_uri' });
      expectError(await readFile(file.id, `?deployment_id=${open.id}`, null), 'not_found');
      const complete = { body: { deployment_id: open.id }, ...ANONYMOUS };
      expectError(await service.send('POST', `/v1/uploads/${file.id}/complete`, complete), 'not_found');
    }
    // A protected conversation stays protected, even if the caller names an open deployment with it.
    const { conversation_id: hidden } = (await chat([internal.part])).body;
    const query = `?deployment_id=${open.id}&conversation_id=${hidden}`;
    expectError(await readFile(internal.id, query, null), 'not_found');
    expectError(await readFile(internal.id, `?conversation_id=${hidden}`, null), 'unauthorized');
    expectError(
      await startUpload(service, { deployment_id: open.id, conversation_id: hidden }, ANONYMOUS),
      'not_found',
    );
  });

  it('have a smaller limit, and the deployment can set others', async () => {
    const size_bytes = 10 * 1024 * 1024 + 1;
    const anonymous = await startUpload(service, { size_bytes, deployment_id: open.id }, ANONYMOUS);
    const facts = { size_bytes, max_bytes: 10 * 1024 * 1024 };
    expectError(anonymous, 'payload_too_large', { param: 'size_bytes', message: /10 MiB/, facts });
    const strict = await makeDeployment(
      service,
      {},
      {
        authRequired: false,
        maxFileBytes: 1_000,
        fileTypes: ['image/*', 'application/pdf'],
      },
    );
    const start = (fields: object) => startUpload(service, { deployment_id: strict.id, ...fields });
    const tooLarge = { param: 'size_bytes', facts: { size_bytes: 1_001, max_bytes: 1_000 } };
    expectError(await start({ size_bytes: 1_001 }), 'payload_too_large', tooLarge);
    expect((await start({ size_bytes: 1_000 })).status).toBe(201);
    expectError(await start({ mime_type: 'text/plain' }), 'invalid_request', { param: 'mime_type' });
    expect((await start({ mime_type: 'APPLICATION/PDF' })).status).toBe(201);
  });

  it('as visitors, do not share their uploads with other visitors', async () => {
    const hosted = await makeDeployment(service, {}, { hostedPage: true });
    const one = withCookies(service, (await visit(service, hosted.id)).cookie);
    const two = withCookies(service, (await visit(service, hosted.id)).cookie);
    const file = await uploadFile(one, { bytes: newPicture(), deployment_id: hosted.id }, ANONYMOUS);
    const send = (client: typeof one) =>
      client.send('POST', `/v1/runner/${hosted.id}/conversation`, { body: { content: [file.part] }, ...ANONYMOUS });
    expectError(await send(two), 'invalid_request', { param: 'content[0].file_uri' });
    expect((await send(one)).status).toBe(200);
  });
});
