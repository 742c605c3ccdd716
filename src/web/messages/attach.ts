import { withFileName } from '../../contract/file-name.ts';
import { LIMITS } from '../../contract/limits.ts';
import { type DataPart, ParleyError } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import { formatBytes } from '../ui/numbers.ts';
import type { Attachment } from './attachments.ts';
import { errorText } from './error-text.ts';
import { dataAddress, isPicture } from './inline-file.ts';
import type { PageFiles, SendOptions } from './page-files.ts';

let lastKey = 0;

/**
 * Makes a message part of a file: uploads it, or without `files` reads it. Resolves with an error text if the file cannot
 * be attached. @throws if the signal is aborted
 */
export async function attach(
  file: File,
  files: PageFiles | undefined,
  options: SendOptions,
): Promise<Attachment | string> {
  const t = texts().composer;
  const most = files?.maxBytes ?? LIMITS.inlineBytes;
  if (file.size === 0) return t.empty(file.name);
  if (file.size > most) return t.tooLarge(file.name, formatBytes(file.size), formatBytes(most));
  lastKey += 1;
  const facts = { key: lastKey, name: file.name, bytes: file.size };
  if (files) return uploaded(file, files, options, facts);
  const mimeType = withFileName(file.type || 'application/octet-stream', file.name);
  const part: DataPart = { type: 'data', mimeType, data: await base64Of(file) };
  return { ...facts, part, preview: isPicture(part) ? dataAddress(part) : undefined };
}

async function uploaded(
  file: File,
  files: PageFiles,
  options: SendOptions,
  facts: Pick<Attachment, 'key' | 'name' | 'bytes'>,
): Promise<Attachment | string> {
  try {
    const part = await files.upload(file, options);
    return { ...facts, part, preview: isPicture(part) ? URL.createObjectURL(file) : undefined };
  } catch (error) {
    if (options.signal.aborted || !(error instanceof ParleyError)) throw error;
    return uploadError(file, error);
  }
}

/** An error in the user's words. */
function uploadError({ name, size }: File, error: ParleyError): string {
  const t = texts().composer;
  const { max_bytes: most } = error.details;
  if (error.code === 'payload_too_large' && typeof most === 'number') {
    return t.tooLarge(name, formatBytes(size), formatBytes(most));
  }
  if (error.code === 'payload_too_large') return t.noSpace(name);
  if (error.code === 'invalid_request') return t.notAccepted(name);
  return t.notUploaded(name, errorText(error));
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
