import type { ApolloClient } from '@apollo/client';
import { payloadOf } from './failure.ts';
import type { ContentPartInput } from './gql/graphql.ts';
import { COMPLETE_UPLOAD, CREATE_UPLOAD } from './operations.ts';

/** Where the file is used: in a conversation, or in the first message of a deployment. */
export type FileOwner = { readonly conversationId: string } | { readonly deploymentId: string };

/** Uploads a file to the address that the service signs. Returns its part of a message. */
export async function upload(client: ApolloClient, file: File, owner: FileOwner): Promise<ContentPartInput> {
  const mimeType = file.type || 'application/octet-stream';
  const input = { ...owner, name: file.name, mimeType, sizeBytes: file.size };
  const created = await client.mutate({ mutation: CREATE_UPLOAD, variables: { input } });
  const { fileUri, upload: signed } = payloadOf(created.data?.createUpload, 'CreateUploadPayload');
  const headers = Object.fromEntries(signed.headers.map(({ name, value }) => [name, value]));
  const response = await fetch(signed.url, { method: signed.method, headers, body: file });
  if (!response.ok) throw new Error(`The upload of ${file.name} failed with ${response.status}.`);
  const completion = { ...owner, fileId: signed.fileId };
  const completed = await client.mutate({ mutation: COMPLETE_UPLOAD, variables: { input: completion } });
  payloadOf(completed.data?.completeUpload, 'CompleteUploadPayload');
  const part = { fileUri, mimeType };
  return mimeType.startsWith('image/') ? { image: part } : { url: part };
}
