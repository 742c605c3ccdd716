import { randomUUID } from 'node:crypto';
import type { Made, Sample } from './samples.ts';

const NEW = { name: 'photo.png', mime_type: 'image/png', size_bytes: 100 };

const UNKNOWN = `file_${'0'.repeat(26)}`;

/** Samples of files. */
export const FILE_SAMPLES: Readonly<Record<string, (made: Made) => Sample[]>> = {
  CreateUpload: ({ conversationId, weakKey }) => {
    const path = '/v1/uploads';
    return [
      { status: 201, path, body: NEW },
      { status: 201, path, body: { ...NEW, conversation_id: conversationId, sha256: '0'.repeat(64) } },
      { status: 400, path, body: { ...NEW, name: 'a/b' } },
      { status: 401, path, body: NEW, key: null },
      { status: 403, path, body: NEW, key: weakKey },
      { status: 404, path, body: { ...NEW, conversation_id: randomUUID() } },
      { status: 413, path, body: { ...NEW, size_bytes: 2_000_000_000 } },
    ];
  },
  CompleteUpload: ({ fileId, weakKey }) => {
    const path = `/v1/uploads/${fileId}/complete`;
    return [
      { status: 200, path, body: {} },
      { status: 400, path, body: { conversation_id: 'no UUID' } },
      { status: 401, path, body: {}, key: null },
      { status: 403, path, body: {}, key: weakKey },
      { status: 404, path: path.replace(fileId, UNKNOWN), body: {} },
    ];
  },
  ReadFile: ({ fileId, conversationId, weakKey }) => {
    const path = `/v1/files/${fileId}`;
    return [
      { status: 200, path },
      { status: 400, path: `${path}?conversation_id=no` },
      { status: 401, path, key: null },
      { status: 403, path, key: weakKey },
      { status: 404, path: `${path}?conversation_id=${conversationId}` },
    ];
  },
};
