import { z } from 'zod';
import { CONTENT_PART_TYPES, type ContentPart, FILE_PART_TYPES } from '../contract/content.ts';
import { fileIdOfUri } from '../contract/file-uri.ts';
import { LIMITS } from '../contract/limits.ts';
import { formatBytes, formatCount } from '../contract/quantities.ts';
import { atMost } from './input.ts';

/** With parameters, as browsers name recordings (`audio/webm;codecs=opus`), and as a wildcard (`image/*`). */
const MIME_TYPE =
  /^[a-z0-9][a-z0-9!#$&^_.+-]*\/(\*|[a-z0-9][a-z0-9!#$&^_.+-]*)( *; *[a-z0-9!#$&^_.+-]+=([a-z0-9!#$&^_.+-]+|"[ !#-[\]-~]*"))*$/i;

/** The type of a file, or a wildcard. */
export const mimeType = z
  .string()
  .max(LIMITS.mimeTypeLength, `must have at most ${LIMITS.mimeTypeLength} characters`)
  .regex(MIME_TYPE, 'must be a MIME type like image/png');

/** The type of one file: no wildcard. */
export const concreteMimeType = mimeType.refine((text) => !text.includes('*'), 'must be the MIME type of one file');

/** What a URL parser would take out or turn round silently: white space, control characters, backslashes, one slash. */
const HTTP_URL = /^https?:\/\/[^\s\p{Cc}\\]+$/iu;

const fileUri = z
  .string()
  .max(LIMITS.fileUriLength, `must have at most ${LIMITS.fileUriLength} characters`)
  .refine(
    (text) => (HTTP_URL.test(text) && URL.canParse(text)) || fileIdOfUri(text) !== undefined,
    'must be an absolute http or https URL, or the parley: URI of an uploaded file',
  );

const partText = atMost(LIMITS.textLength).refine((text) => text.trim() !== '', 'must not be blank');

/** Base64 of at least one byte and at most `maxBytes` bytes. */
export function base64Data(maxBytes: number) {
  return z
    .string()
    .min(1, 'must not be empty')
    .refine(isBase64, 'must be base64')
    .refine(
      (text) => decodedLength(text) <= maxBytes,
      `must be at most ${formatBytes(maxBytes)} after base64 decoding`,
    );
}

const inlineData = base64Data(LIMITS.inlineBytes);

const textPart = z.object({ type: z.literal('text'), text: partText });

const filePart = z.object({ type: z.enum(FILE_PART_TYPES), mimeType, fileUri });

const dataPart = z.object({ type: z.literal('data'), mimeType, data: inlineData });

/** One part of a message; a part keeps exactly its own fields (WIRE 2). */
const contentPart = z.discriminatedUnion('type', [textPart, filePart, dataPart], {
  error: () => `must be one of ${CONTENT_PART_TYPES.join(', ')}`,
}) satisfies z.ZodType<ContentPart>;

const listOf = <Part extends z.ZodType<ContentPart>>(part: Part) =>
  z
    .array(part)
    .min(1, 'must hold at least one part')
    .max(LIMITS.contentParts, `must hold at most ${LIMITS.contentParts} parts`);

/** A stored message, or the files of a tool result: 1 to 64 parts. */
export const messageContent = listOf(contentPart);

const file = z.object({ mimeType, fileUri }).optional();

/** A part as a caller sends it: exactly one field, which is named after the type of the part. */
const partInput = z
  .object({
    text: partText.optional(),
    url: file,
    image: file,
    video: file,
    audio: file,
    data: z.object({ mimeType, data: inlineData }).optional(),
  })
  .transform(({ text, data, ...files }): ContentPart => {
    if (text !== undefined) return { type: 'text', text };
    if (data) return { type: 'data', ...data };
    const type = FILE_PART_TYPES.find((candidate) => files[candidate]) ?? 'url';
    // The input stage guarantees one field.
    return { type, ...(files[type] as NonNullable<(typeof files)[typeof type]>) };
  });

/** A message as a caller sends it: 1 to 64 parts. A page of messages is read at once, so their texts have a limit together. */
export const contentInput = listOf(partInput).refine(
  (parts) => lengthOf(parts) <= LIMITS.messageTextLength,
  `must have at most ${formatCount(LIMITS.messageTextLength)} characters in all text parts. Send longer texts as files`,
);

function lengthOf(parts: readonly ContentPart[]): number {
  return parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
}

/** Characters that are decoded at once. A multiple of four. */
const BASE64_PIECE = 64 * 1_024;

const decoded = Buffer.alloc((BASE64_PIECE / 4) * 3);

/**
 * Standard base64, padded, no line breaks: the one form that every provider takes. Node's decoder is several times as fast
 * as an expression. It also takes the two characters of URLs, leaves out what is no base64, and reads only the last byte of
 * other characters: `Ł` as `A`.
 */
function isBase64(text: string): boolean {
  if (text.length % 4 !== 0 || text.includes('-') || text.includes('_')) return false;
  for (let start = 0; start < text.length; start += BASE64_PIECE) {
    const piece = text.slice(start, start + BASE64_PIECE);
    const isLast = start + BASE64_PIECE >= text.length;
    const expected = isLast ? decodedLength(piece) : decoded.length;
    if (Buffer.byteLength(piece) !== piece.length || decoded.write(piece, 'base64') !== expected) return false;
  }
  return true;
}

function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}
