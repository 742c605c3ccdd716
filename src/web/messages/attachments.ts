import { withFileName } from '../../contract/file-name.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { DataPart } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import { formatBytes } from '../ui/numbers.ts';

/** A file in the next message. */
export interface Attachment {
  /** Unique on this page. */
  readonly key: number;
  readonly name: string;
  readonly bytes: number;
  readonly part: DataPart;
}

let lastKey = 0;

/** Reads a file into a message part. Resolves with an error text if the file cannot be attached. */
export async function attach(file: File): Promise<Attachment | string> {
  const t = texts().composer;
  if (file.size === 0) return t.empty(file.name);
  if (file.size > LIMITS.inlineBytes) {
    return t.tooLarge(file.name, formatBytes(file.size), formatBytes(LIMITS.inlineBytes));
  }
  const mimeType = withFileName(file.type || 'application/octet-stream', file.name);
  lastKey += 1;
  return {
    key: lastKey,
    name: file.name,
    bytes: file.size,
    part: { type: 'data', mimeType, data: await base64Of(file) },
  };
}

/** The error text if the files do not fit into one request. They are sent as base64, within 64 kB of other JSON. */
export function sizeError(attachments: readonly Attachment[]): string | undefined {
  const encoded = attachments.reduce((sum, { part }) => sum + part.data.length, 0);
  const maxBytes = LIMITS.bodyBytes - 64 * 1024;
  return encoded > maxBytes ? texts().composer.tooLargeTogether(formatBytes(maxBytes * 0.75)) : undefined;
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error);
    // data:TYPE;base64,CONTENT
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.readAsDataURL(file);
  });
}
