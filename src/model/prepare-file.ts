import { fileNameIn } from '../contract/file-name.ts';
import { charsetOf } from '../contract/text-encoding.ts';
import type { FilePart, ReadStoredFile, TextPart } from '../domain/agent/model-port.ts';
import { type Download, type DownloadMeans, download, FileMissingError } from './download.ts';
import { type FileRules, takesUrl, wantsContent } from './file-rules.ts';
import { type FileLabel, fileNameOf, missingFile, readableFile, textFile } from './file-texts.ts';
import { isText, isVague, mediaTypeByContent, plainMediaType } from './media-type.ts';
import { isOffice, officeText } from './office-text.ts';

/** What the files of one step share. */
export interface FileMeans extends DownloadMeans {
  readonly readStoredFile?: ReadStoredFile | undefined;
  readonly rules: FileRules;
  /** Counts bytes of the request. @throws {FileMissingError} if there are too many in total */
  readonly claim: (bytes: number) => void;
}

const UNSUPPORTED = 'this model does not take files of this type';

/** Converts a file for the provider, or replaces it with a text. A file never fails a step. Only the signal throws. */
export async function prepareFile(part: FilePart, means: FileMeans): Promise<FilePart | TextPart> {
  if (part.data instanceof URL && part.data.protocol === STORED) return prepareStored(part, part.data, means);
  const mediaType = plainMediaType(part.mediaType);
  const source = sourceOf(part.data);
  const name = fileNameIn(part.mediaType) ?? (source instanceof URL ? fileNameOf(source) : undefined);
  const label: FileLabel = { mediaType, name };
  try {
    if (!(source instanceof URL)) return await giveContent(label, { bytes: source, servedAs: part.mediaType }, means);
    if (takesUrl(means.rules, mediaType, source)) return { type: 'file', data: source, mediaType };
    if (!wantsContent(means.rules, mediaType)) throw new FileMissingError(UNSUPPORTED);
    return await giveContent(label, await download(source, mediaType, means), means);
  } catch (error) {
    if (error instanceof FileMissingError) return missingFile(label, error.message);
    throw error;
  }
}

/** The scheme of uploaded files. */
const STORED = 'parley:';

/** Larger files do not fit into a request together with anything else. */
const STORED_BYTES = 20 * 1024 * 1024;

async function prepareStored(
  { mediaType: announced }: FilePart,
  uri: URL,
  means: FileMeans,
): Promise<FilePart | TextPart> {
  const type = plainMediaType(announced);
  const missing = (problem: string) => missingFile({ mediaType: type, name: undefined }, problem);
  if (!wantsContent(means.rules, type)) return missing(UNSUPPORTED);
  const stored = (await means.readStoredFile?.(uri, STORED_BYTES)) ?? { problem: 'it cannot be read here' };
  if ('problem' in stored) return missing(stored.problem);
  const { bytes, mediaType, name } = stored;
  const label = { mediaType: plainMediaType(mediaType), name };
  try {
    return await giveContent(label, { bytes, servedAs: mediaType }, means);
  } catch (error) {
    if (error instanceof FileMissingError) return missingFile(label, error.message);
    throw error;
  }
}

async function giveContent(
  label: FileLabel,
  { bytes, servedAs }: Download,
  means: FileMeans,
): Promise<FilePart | TextPart> {
  const mediaType = actualType(label.mediaType, bytes);
  if (isText(mediaType)) {
    const part = textFile(label, bytes, charsetOf(servedAs));
    if (!part) throw new FileMissingError('it is not text');
    means.claim(part.text.length);
    return part;
  }
  if (isOffice(mediaType)) {
    const part = readableFile(label, await officeText(mediaType, bytes, means));
    means.claim(part.text.length);
    return part;
  }
  if (!means.rules.asData.has(mediaType)) throw new FileMissingError(UNSUPPORTED);
  means.claim(bytes.byteLength);
  // Node encodes base64 many times faster than the SDK.
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return { type: 'file', data, mediaType, ...(label.name ? { filename: withEnding(label.name, mediaType) } : {}) };
}

/** OpenAI requires the right file name extension. */
function withEnding(name: string, mediaType: string): string {
  return mediaType === 'application/pdf' && !/\.pdf$/i.test(name) ? `${name}.pdf` : name;
}

/** Providers reject an image with a wrong type, so the type of its bytes is used. The same applies to open types. */
function actualType(mediaType: string, bytes: Uint8Array): string {
  if (isText(mediaType)) return mediaType;
  const isOpen = isVague(mediaType) || mediaType.startsWith('image/');
  return (isOpen ? mediaTypeByContent(bytes) : undefined) ?? mediaType;
}

function sourceOf(data: FilePart['data']): URL | Uint8Array {
  if (data instanceof URL) return data;
  return /^https?:\/\//i.test(data) ? new URL(data) : Buffer.from(data, 'base64');
}
