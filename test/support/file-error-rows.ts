import { randomUUID } from 'node:crypto';
import type { TestService } from './service.ts';
import { NO_UUID, type Provocation, type Provoke } from './turn-error-rows.ts';
import { startUpload } from './uploads.ts';

const NEW = { name: 'photo.png', mimeType: 'image/png', sizeBytes: 100 };

/** A new upload, in both APIs. */
function upload(change: object, restChange: object): Provocation {
  const body = { name: NEW.name, mime_type: NEW.mimeType, size_bytes: NEW.sizeBytes, ...restChange };
  return { input: { ...NEW, ...change }, rest: { method: 'POST', path: '/v1/uploads', body } };
}

function complete(fileId: string): Provocation {
  return { input: { fileId }, rest: { method: 'POST', path: `/v1/uploads/${fileId}/complete`, body: {} } };
}

/** A file that another attempt checks. A lease that ends later than a process can set it is not valid. */
async function beingChecked({ service, ...client }: TestService): Promise<string> {
  const { body } = await startUpload(client);
  const check = { checkId: randomUUID(), checkUntil: new Date(Date.now() + 2_000) };
  await service.services.stores.prisma.storedFile.updateMany({ where: { id: body.upload.id }, data: check });
  return body.upload.id;
}

/** A request for every error that the mutations of files declare. */
export const FILE_ERROR_ROWS: Readonly<Record<string, Provoke>> = {
  'createUpload invalid_request': () => upload({ name: 'a/b' }, { name: 'a/b' }),
  'createUpload not_found': () => upload({ conversationId: NO_UUID }, { conversation_id: NO_UUID }),
  'createUpload payload_too_large': () => upload({ sizeBytes: 2_000_000_000 }, { size_bytes: 2_000_000_000 }),
  'completeUpload invalid_request': async (service) => complete((await startUpload(service)).body.upload.id),
  'completeUpload not_found': () => complete(`file_${'0'.repeat(26)}`),
  'completeUpload request_in_progress': async (service) => complete(await beingChecked(service)),
};
