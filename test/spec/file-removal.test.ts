import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepFiles } from '../../src/domain/files/sweeper.ts';
import { expectError } from '../support/error-bodies.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment, makeWorkspace, openSession } from '../support/tenants.ts';
import { newPicture, PNG, sendBytes, startUpload, uploadFile } from '../support/uploads.ts';

let directory: string;
let service: TestService;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'parley-test-files-'));
  service = await startService({ files: { kind: 'directory', path: directory } });
});
afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true });
});

const readFile = (id: string) => service.send('GET', `/v1/files/${id}`);

/** Stored files by name, with their folders. */
const storedFiles = async () =>
  (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length;

async function startConversation(parts: readonly object[]): Promise<string> {
  const { status, body } = await service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, {
    body: { content: parts },
  });
  expect(status).toBe(200);
  return body.conversation_id;
}

const remove = (conversationId: string) =>
  service.graphql(
    'mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename ... on Error { code } } }',
    { id: conversationId },
  );

const sweep = () => sweepFiles(service.service.services);

const prisma = () => service.service.services.stores.prisma;

/** Lets the background task find what it would find later. */
const passTime = () => prisma().$executeRaw`UPDATE file_removal SET remove_after = now() - interval '1 second'`;

describe('deleting a conversation', () => {
  it('deletes its files and their bytes', async () => {
    const before = await storedFiles();
    const file = await uploadFile(service, { bytes: newPicture() });
    expect(await storedFiles()).toBe(before + 1);
    const id = await startConversation([file.part]);
    await remove(id);
    expectError(await readFile(file.id), 'not_found');
    await sweep();
    expect(await storedFiles()).toBe(before);
    expect(await prisma().fileRemoval.count()).toBe(0);
  });

  it('keeps a file, and bytes, that something else uses', async () => {
    const bytes = newPicture();
    const before = await storedFiles();
    const file = await uploadFile(service, { bytes });
    const same = await uploadFile(service, { bytes, name: 'same.png' });
    const [one, two] = [await startConversation([file.part]), await startConversation([file.part, same.part])];
    await passTime();
    await sweep();
    expect(await storedFiles()).toBe(before + 1);
    await remove(one);
    expect((await readFile(file.id)).status).toBe(200);
    const trigger = await service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/trigger`, {
      body: { content: [same.part] },
    });
    expect(trigger.status).toBe(200);
    await remove(two);
    expectError(await readFile(file.id), 'not_found');
    await sweep();
    const left = await readFile(same.id);
    expect(left.status).toBe(200);
    const url = new URL(left.body.url);
    const content = await fetch(`${service.url}${url.pathname}${url.search}`);
    expect(Buffer.from(await content.arrayBuffer())).toEqual(bytes);
  });

  it('deletes the uploads that were made for it, and that no message uses', async () => {
    const id = await startConversation([{ type: 'text', text: 'Hello' }]);
    const file = await uploadFile(service, { bytes: newPicture(), conversation_id: id });
    await remove(id);
    expectError(await readFile(file.id), 'not_found');
  });

  it('never shares bytes with another environment', async () => {
    const bytes = newPicture();
    const stranger = await makeWorkspace(service);
    await sweep();
    const before = await storedFiles();
    await uploadFile(service, { bytes });
    await uploadFile(service, { bytes }, { key: stranger.keys.live });
    await uploadFile(service, { bytes }, { key: service.keys.test });
    await passTime();
    await sweep();
    expect(await storedFiles()).toBe(before + 3);
  });
});

describe('expiry', () => {
  const expire = (id: string) => prisma().storedFile.updateMany({ where: { id }, data: { expiresAt: new Date(0) } });

  it('deletes an unfinished upload with its bytes', async () => {
    const before = await storedFiles();
    const { body } = await startUpload(service);
    await sendBytes(service, body, PNG.subarray(0, 10));
    expect(await storedFiles()).toBe(before + 1);
    await expire(body.upload.id);
    const late = await sendBytes(service, body, PNG.subarray(10), { 'Upload-Offset': '10' });
    expect(late.status).toBe(404);
    await sweep();
    // A request that still runs could write, so the bytes stay a little longer.
    expect(await storedFiles()).toBe(before + 1);
    await passTime();
    await sweep();
    expect(await storedFiles()).toBe(before);
  });

  it('deletes a file that nothing uses, and keeps a used one', async () => {
    const [unused, used] = [
      await uploadFile(service, { bytes: newPicture() }),
      await uploadFile(service, { bytes: newPicture() }),
    ];
    await startConversation([used.part]);
    await Promise.all([expire(unused.id), expire(used.id)]);
    await sweep();
    expectError(await readFile(unused.id), 'not_found');
    expect((await readFile(used.id)).status).toBe(200);
  });
});

describe('the limit of an environment', () => {
  it('counts stored and announced bytes', async () => {
    const session = await openSession(service, 'owner');
    const set = (megabytes: number | null) =>
      service.graphql(
        'mutation ($m: Int) { setEnvironmentLimits(input: { fileMegabytes: $m }) { ... on SetEnvironmentLimitsPayload { environmentLimits { fileMegabytes } } } }',
        { m: megabytes },
        { key: session },
      );
    const { body } = await set(3);
    expect(body.data.setEnvironmentLimits.environmentLimits.fileMegabytes).toBe(3);
    const half = { size_bytes: 1_500_000 };
    expect((await startUpload(service, half)).status).toBe(201);
    const full = { message: /3 MiB/, facts: { size_bytes: 2_000_000, max_total_bytes: 3 * 1024 ** 2 } };
    expectError(await startUpload(service, { size_bytes: 2_000_000 }), 'payload_too_large', full);
    // Another environment has its own limit.
    expect((await startUpload(service, { size_bytes: 2_000_000 }, { key: service.keys.test })).status).toBe(201);
    await set(null);
    expect((await startUpload(service, { size_bytes: 2_000_000 })).status).toBe(201);
  });

  it('is separate for unused uploads without credentials', async () => {
    const { id } = await makeDeployment(service, {}, { authRequired: false, maxFileBytes: 1024 ** 3 });
    const size_bytes = 1024 ** 3 - 10;
    const anonymous = { key: null } as const;
    expect((await startUpload(service, { size_bytes, deployment_id: id }, anonymous)).status).toBe(201);
    const second = await startUpload(service, { size_bytes: 20, deployment_id: id }, anonymous);
    const full = {
      message: /your share of the space, 1,024 MiB/,
      facts: { size_bytes: 20, max_total_bytes: 1024 ** 3 },
    };
    expectError(second, 'payload_too_large', full);
    expect((await startUpload(service, { size_bytes: 20, deployment_id: id })).status).toBe(201);
  });
});

describe('the directory', () => {
  it('is not left through a symbolic link', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'parley-test-outside-'));
    const { body } = await startUpload(service);
    const environment = (await prisma().storedFile.findFirstOrThrow({ where: { id: body.upload.id } })).environmentId;
    await symlink(outside, join(directory, environment, body.upload.id));
    const sent = await sendBytes(service, body, PNG);
    expect(sent.status).toBe(500);
    expect(await readdir(outside)).toEqual([]);
    await writeFile(join(outside, 'kept'), randomUUID());
    await service.service.services.stores.storage.remove(`${environment}/${body.upload.id}`);
    expect(await readdir(outside)).toEqual(['kept']);
    await rm(outside, { recursive: true });
  });
});

describe('an export', () => {
  it('lists the files of a conversation and of the environment', async () => {
    const file = await uploadFile(service, { bytes: newPicture(), name: 'listed.png' });
    const id = await startConversation([file.part]);
    const linesAt = async (path: string) =>
      String((await service.send('GET', path)).body)
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    for (const path of [`/v1/conversations/${id}/export`, '/v1/export']) {
      const lines = await linesAt(path);
      const own = lines.filter(({ type, data }) => type === 'file' && data.file_id === file.id);
      expect(own).toEqual([
        {
          type: 'file',
          data: expect.objectContaining({ name: 'listed.png', conversation_ids: [id], path: `/v1/files/${file.id}` }),
        },
      ]);
    }
  });
});
