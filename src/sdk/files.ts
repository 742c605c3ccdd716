import type { ContentPart, FilePart, MessageContent } from '../contract/content.ts';
import { sendJson } from './http.ts';
import type { Settings } from './options.ts';
import { sendFile, type Upload, type UploadProgress } from './send-file.ts';

/** An uploaded file. */
export interface StoredFile {
  /** `file_` and 26 characters. */
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
  /** A URL that reads the bytes without credentials, for some minutes. */
  readonly url: string;
  /** ISO 8601, UTC. */
  readonly urlExpiresAt: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** The file as a part of a message. */
  readonly part: FilePart;
}

/** Options of {@link FilesApi.upload}. */
export interface UploadOptions {
  /** The name of the file, without folders. Default: the name of a `File`, else `file`. */
  readonly name?: string | undefined;
  /** The MIME type. Default: the type of the `Blob`, else `application/octet-stream`. */
  readonly mimeType?: string | undefined;
  /** The conversation that the file is for, if it exists already. */
  readonly conversationId?: string | null | undefined;
  /** Receives the number of bytes that have arrived. */
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  /** Aborts the upload. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link FilesApi.get}. */
export interface GetFileOptions {
  /** The conversation that uses the file. Required without credentials, if one uses it. */
  readonly conversationId?: string | null | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** Uploads files and reads them. */
export interface FilesApi {
  /**
   * Uploads a file. A broken connection continues where it broke off.
   *
   * @example
   * const file = await client.files.upload(input.files[0], { onProgress: ({ sentBytes }) => show(sentBytes) });
   * await client.agent.start({ content: [{ type: 'text', text: 'What is this?' }, file.part] });
   * @throws {ParleyError} 400 `invalid_request` for a wrong type, 413 `payload_too_large`
   */
  upload(file: Blob, options?: UploadOptions): Promise<StoredFile>;

  /**
   * The content of a message: texts and parts as they are, and files after their upload.
   *
   * @example
   * await client.agent.start({ content: await client.files.content(['What is this?', input.files[0]]) });
   */
  content(items: readonly (string | Blob | ContentPart)[], options?: UploadOptions): Promise<MessageContent>;

  /**
   * Reads a file, with a new URL for its bytes.
   *
   * @example
   * const { url } = await client.files.get(id, { conversationId });
   * @throws {ParleyError} 404 `not_found`
   */
  get(id: string, options?: GetFileOptions): Promise<StoredFile>;
}

interface WireFile {
  readonly id: string;
  readonly name: string;
  readonly mime_type: string;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly url: string;
  readonly url_expires_at: string;
  readonly created_at: string;
}

interface WireUpload {
  readonly upload: Upload;
}

export function createFilesApi(settings: Settings): FilesApi {
  // A caller with credentials needs neither.
  const address = (conversationId: string | null | undefined) => {
    if (conversationId) return { conversation_id: conversationId };
    return settings.deployment === undefined ? {} : { deployment_id: settings.deployment };
  };

  const upload: FilesApi['upload'] = async (file, options = {}) => {
    const { conversationId, signal, onProgress } = options;
    const own = file as Partial<Pick<File, 'name'>>;
    const of = address(conversationId);
    const { upload } = await sendJson<WireUpload>(settings, {
      method: 'POST',
      path: '/v1/uploads',
      body: {
        ...of,
        name: options.name ?? own.name ?? 'file',
        mime_type: options.mimeType || file.type || 'application/octet-stream',
        size_bytes: file.size,
      },
      signal,
    });
    await sendFile(settings, upload, file, { onProgress, signal });
    const path = `/v1/uploads/${upload.id}/complete`;
    return fromWireFile(settings, await sendJson(settings, { method: 'POST', path, body: of, signal }));
  };

  return {
    upload,
    async content(items, options) {
      const parts = items.map(async (item): Promise<ContentPart> => {
        if (typeof item === 'string') return { type: 'text', text: item };
        return item instanceof Blob ? (await upload(item, options)).part : item;
      });
      return Promise.all(parts);
    },
    async get(id, { conversationId, signal } = {}) {
      const path = `/v1/files/${encodeURIComponent(id)}`;
      const query = address(conversationId);
      return fromWireFile(settings, await sendJson(settings, { method: 'GET', path, query, signal }));
    },
  };
}

function fromWireFile({ baseUrl }: Settings, file: WireFile): StoredFile {
  const { id, name, mime_type: mimeType, size_bytes: sizeBytes, sha256 } = file;
  // The service as this client reaches it, which can differ from its public address.
  const url = `${baseUrl}/v1/files/${id}/content${new URL(file.url).search}`;
  const times = { urlExpiresAt: file.url_expires_at, createdAt: file.created_at };
  return {
    id,
    name,
    mimeType,
    sizeBytes,
    sha256,
    url,
    ...times,
    part: { type: 'url', mimeType, fileUri: `parley:${id}` },
  };
}
