import { useMemo, useState } from 'react';
import type { ParleyClient, StoredFile, UploadProgress } from '../../sdk/index.ts';
import type { PageFiles } from '../messages/page-files.ts';

/** The address of a file is read again after this time. It is valid for twice as long. */
const FRESH_MS = 300_000;

/** The part of a client that pages need for files. */
export interface FileClient {
  readonly files: Pick<ParleyClient['files'], 'upload' | 'get'>;
}

interface Read {
  readonly file: StoredFile;
  readonly readAt: number;
}

/**
 * Uploads and reads of the open conversation. A new one has no ID yet: then uploads are for its deployment. What was
 * uploaded is known, so a message is shown with its files before the conversation exists.
 */
export function usePageFiles(client: FileClient, conversationId: string | null, maxBytes: number): PageFiles {
  const [known] = useState(() => new Map<string, Read>());
  return useMemo(() => {
    const remember = (file: StoredFile) => {
      known.set(file.id, { file, readAt: performance.now() });
      return file;
    };
    return {
      maxBytes,
      async upload(file, { onProgress, signal }) {
        const report = ({ sentBytes, totalBytes }: UploadProgress) => onProgress(sentBytes / totalBytes);
        return remember(await client.files.upload(file, { conversationId, onProgress: report, signal })).part;
      },
      async get(id) {
        const read = known.get(id);
        if (read && performance.now() - read.readAt < FRESH_MS) return read.file;
        return remember(await client.files.get(id, { conversationId }));
      },
    };
  }, [client, conversationId, maxBytes, known]);
}
