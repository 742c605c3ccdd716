import type { SendOperation } from './all-operations.ts';
import type { Client } from './client.ts';
import { publicIdOf } from './results.ts';
import { newPicture, uploadFile } from './uploads.ts';

/** An uploaded file: its ID and its global ID. */
export interface FileFixture {
  readonly id: string;
  readonly nodeId: string;
}

export async function createFileFixture(owner: Client, marker: string): Promise<FileFixture> {
  const { id } = await uploadFile(owner, { bytes: newPicture(), name: marker });
  const { body } = await owner.graphql('query ($id: ID!) { file(id: $id) { id } }', { id });
  const nodeId: string = body.data.file.id;
  if (publicIdOf(nodeId) !== id) throw new Error('the global ID of a file has another ID');
  return { id, nodeId };
}

const NEW = { name: 'photo.png', mimeType: 'image/png', sizeBytes: 100 };

/** The request of each root field of files for the fixtures. */
export const FILE_FIELDS: Readonly<Record<string, SendOperation>> = {
  'Query.file': (client, key, { file }) =>
    client.graphql('query ($id: ID!) { file(id: $id) { name } }', { id: file.id }, { key }),
  'Mutation.createUpload': (client, key, { conversationId }) =>
    client.graphql(
      'mutation ($input: CreateUploadInput!) { createUpload(input: $input) { __typename ... on CreateUploadPayload { fileUri } ... on Error { code message path } } }',
      { input: { ...NEW, conversationId } },
      { key },
    ),
  'Mutation.completeUpload': (client, key, { file }) =>
    client.graphql(
      'mutation ($id: ID!) { completeUpload(input: { fileId: $id }) { __typename ... on CompleteUploadPayload { file { name } } ... on Error { code message path } } }',
      { id: file.id },
      { key },
    ),
};

/** The request of each REST route of files. */
export const FILE_ROUTES: Readonly<Record<string, SendOperation>> = {
  'POST /v1/uploads': (client, key, { conversationId: conversation_id }) =>
    client.send('POST', '/v1/uploads', {
      key,
      body: { name: NEW.name, mime_type: NEW.mimeType, size_bytes: NEW.sizeBytes, conversation_id },
    }),
  'POST /v1/uploads/{file_id}/complete': (client, key, { file }) =>
    client.send('POST', `/v1/uploads/${file.id}/complete`, { key, body: {} }),
  'GET /v1/files/{file_id}': (client, key, { file }) => client.send('GET', `/v1/files/${file.id}`, { key }),
};
