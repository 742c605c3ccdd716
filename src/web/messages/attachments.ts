import { LIMITS } from '../../contract/limits.ts';
import type { DataPart, FilePart } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import { formatBytes } from '../ui/numbers.ts';

/** A file in the next message. */
export interface Attachment {
  /** Unique on this page. */
  readonly key: number;
  readonly name: string;
  readonly bytes: number;
  readonly part: DataPart | FilePart;
  /** An address of the picture. Undefined if it is no picture. */
  readonly preview: string | undefined;
}

/** The error text if the files do not fit into one request. Inline files are base64, within 64 kB of other JSON. */
export function sizeError(attachments: readonly Attachment[]): string | undefined {
  const encoded = attachments.reduce((sum, { part }) => sum + (part.type === 'data' ? part.data.length : 0), 0);
  const maxBytes = LIMITS.bodyBytes - 64 * 1024;
  return encoded > maxBytes ? texts().composer.tooLargeTogether(formatBytes(maxBytes * 0.75)) : undefined;
}
