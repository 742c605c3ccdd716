import { LIMITS } from '../../contract/limits.ts';
import type { DataPart } from '../../sdk/index.ts';
import { sizeOf } from '../ui/size.ts';

/** A file that goes with the next message. */
export interface Attachment {
  /** Unique on this page. */
  readonly key: number;
  readonly name: string;
  readonly bytes: number;
  readonly part: DataPart;
}

let made = 0;

/** A file as a part of a message; a sentence for its user where it cannot be one. */
export async function attach(file: File): Promise<Attachment | string> {
  if (file.size === 0) return `${file.name} is empty.`;
  if (file.size > LIMITS.inlineBytes) {
    return `${file.name} has ${sizeOf(file.size)}. Files may have up to ${sizeOf(LIMITS.inlineBytes)}.`;
  }
  const mimeType = file.type || 'application/octet-stream';
  made += 1;
  return { key: made, name: file.name, bytes: file.size, part: { type: 'data', mimeType, data: await base64Of(file) } };
}

/** What all of them have together must fit into one request, as base64 with some room for what stands around it. */
export function tooMuch(attachments: readonly Attachment[]): string | undefined {
  const encoded = attachments.reduce((sum, { part }) => sum + part.data.length, 0);
  const most = LIMITS.bodyBytes - 64 * 1024;
  return encoded > most
    ? `Together the files may have up to ${sizeOf(most * 0.75)}. Send some of them later.`
    : undefined;
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
