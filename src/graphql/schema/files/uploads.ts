import { completeUpload } from '../../../domain/files/complete-upload.ts';
import { createUpload, type Upload } from '../../../domain/files/create-upload.ts';
import { runnerAccess } from '../../../operation/access.ts';
import { CREATE_UPLOAD } from '../../../shapes/uploads.ts';
import { builder, type JsonObject } from '../builder.ts';
import { errorType, type ReturnedError, registerErrors } from '../errors.ts';
import { mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { File } from './files.ts';

interface SizeFacts {
  readonly size_bytes?: number;
  readonly max_bytes?: number;
  readonly max_total_bytes?: number;
}

const factsOf = ({ error }: ReturnedError) => (error.details.facts ?? {}) as SizeFacts;

registerErrors({
  payload_too_large: errorType(
    'FileTooLarge',
    'The file is larger than the deployment allows, or the files of the environment would exceed their limit.',
    (t) => ({
      sizeBytes: t.field({
        type: 'SafeInt',
        nullable: true,
        description: 'The size of the file in the input, in bytes. Null: it is unknown.',
        resolve: (error) => factsOf(error).size_bytes ?? null,
      }),
      maxBytes: t.field({
        type: 'SafeInt',
        nullable: true,
        description:
          'The largest allowed file, in bytes. Null: the file is not too large, but there is no space for it.',
        resolve: (error) => factsOf(error).max_bytes ?? null,
      }),
      maxTotalBytes: t.field({
        type: 'SafeInt',
        nullable: true,
        description:
          'The limit of all files of the environment, or of the share of the caller, in bytes. Null: the file itself is too large.',
        resolve: (error) => factsOf(error).max_total_bytes ?? null,
      }),
    }),
  ),
  request_in_progress: errorType('FileBeingChecked', 'Another request checks the file. Try again in a moment.'),
});

const UploadHeader = builder.objectRef<Upload['headers'][number]>('UploadHeader').implement({
  description: 'A header of the request that sends the bytes.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The header, for example Content-Type.' }),
    value: t.exposeString('value', { description: 'What to send in it, unchanged.' }),
  }),
});

const UploadObject = builder.objectRef<Upload>('Upload').implement({
  description: 'How to send the bytes of a file. The URL contains a signature instead of credentials.',
  fields: (t) => ({
    fileId: t.exposeID('id', { description: 'The ID of the upload, and of its file.' }),
    method: t.exposeString('method', { description: 'The HTTP method: PUT.' }),
    url: t.exposeString('url', { description: 'The URL that takes the bytes.' }),
    headers: t.field({
      type: [UploadHeader],
      description: 'Headers to send with the bytes.',
      resolve: ({ headers }) => headers,
    }),
    headersByName: t.field({
      type: 'JSONObject',
      internal: true,
      description: 'Headers to send with the bytes, by name.',
      resolve: ({ headers }) => Object.fromEntries(headers.map(({ name, value }) => [name, value])) as JsonObject,
    }),
    resumable: t.exposeBoolean('resumable', {
      description: 'Whether a broken upload can continue: HEAD returns `Upload-Offset`, and PUT takes it.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the URL expires.' }),
  }),
});

mutation('createUpload', {
  publishing: 'adds',
  access: runnerAccess('conversations:write'),
  description:
    'Starts the upload of a file, and returns a URL for its bytes. The file can be used when its bytes are complete and checked. Scope: conversations:write.',
  input: inputType(CREATE_UPLOAD),
  errors: ['invalid_request', 'not_found', 'payload_too_large'],
  resolve: (input, { domain }) => createUpload(domain, input),
  payload: (t) => ({
    upload: t.field({
      type: UploadObject,
      description: 'How to send the bytes.',
      resolve: ({ upload }) => upload,
    }),
    fileUri: t.exposeString('fileUri', { description: 'The URI of the file, for `fileUri` of a message.' }),
  }),
});

const CompleteUploadInput = builder.inputType('CompleteUploadInput', {
  description: 'An upload whose bytes have been sent.',
  fields: (t) => ({
    fileId: t.id({ required: true, idOf: 'File', description: 'The ID of the upload.' }),
    deploymentId: t.field({
      type: 'UUID',
      idOf: 'Deployment',
      description: 'The deployment of the upload. Callers without credentials need it, or the conversation.',
    }),
    conversationId: t.field({ type: 'UUID', idOf: 'Conversation', description: 'The conversation of the upload.' }),
  }),
});

mutation('completeUpload', {
  publishing: 'sets',
  access: runnerAccess('conversations:write'),
  description:
    'Checks an upload whose bytes have been sent, and makes its file usable. Needed if the upload is not resumable; for other uploads it changes nothing. Scope: conversations:write.',
  input: CompleteUploadInput,
  errors: ['invalid_request', 'not_found', 'request_in_progress'],
  resolve: ({ fileId }, { domain }) => completeUpload(domain, String(fileId)),
  payload: (t) => ({
    file: t.field({ type: File, description: 'What was uploaded, complete and checked.', resolve: (file) => file }),
  }),
});
