import { z } from 'zod';
import { CONTENT_PART_TYPES, type ContentPart, FILE_PART_TYPES } from '../contract/content.ts';
import { LIMITS } from '../contract/limits.ts';
import { formatBytes, formatCount } from '../contract/quantities.ts';
import { CONTENT_PART, contentParts, FILE, INLINE_FILE } from '../shapes/content.ts';
import { required, rulesOf } from '../shapes/field.ts';
import { sized } from '../shapes/kinds.ts';

const PARTS = contentParts('The message');

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

const inlineFile = { ...rulesOf(INLINE_FILE.fields), data: base64Data(LIMITS.inlineBytes) };

const textPart = z.object({ type: z.literal('text'), text: required(CONTENT_PART.fields.text).rule });

const filePart = z.object({ type: z.enum(FILE_PART_TYPES), ...rulesOf(FILE.fields) });

const dataPart = z.object({ type: z.literal('data'), ...inlineFile });

/** One part of a message; a part keeps exactly its own fields. */
const contentPart = z.discriminatedUnion('type', [textPart, filePart, dataPart], {
  error: () => `must be one of ${CONTENT_PART_TYPES.join(', ')}`,
}) satisfies z.ZodType<ContentPart>;

/** A stored message, or the files of a tool result: 1 to 64 parts. */
export const messageContent = sized(contentPart, PARTS);

/** A part as a caller sends it: exactly one field, which is named after the type of the part. */
const partInput = z
  .object({ ...rulesOf(CONTENT_PART.fields), data: z.object(inlineFile).nullish() })
  .transform(({ text, data, ...files }): ContentPart => {
    if (text != null) return { type: 'text', text };
    if (data) return { type: 'data', ...data };
    const type = FILE_PART_TYPES.find((candidate) => files[candidate]) ?? 'url';
    // The input stage guarantees one field.
    return { type, ...(files[type] as NonNullable<(typeof files)[typeof type]>) };
  });

/** A message as a caller sends it: 1 to 64 parts. A page of messages is read at once, so their texts have a limit together. */
export const contentInput = sized(partInput, PARTS).check(
  z.refine(
    (content) =>
      content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0) <= LIMITS.messageTextLength,
    `must have at most ${formatCount(LIMITS.messageTextLength)} characters in all text parts. Send longer texts as files`,
  ),
);

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

/** The bytes of base64 in the form that {@link base64Data} takes. Undefined: it is not base64, or has no bytes. */
export function decodedBase64(text: string): Buffer | undefined {
  return text !== '' && isBase64(text) ? Buffer.from(text, 'base64') : undefined;
}

/** Bytes of base64 after decoding. */
export function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}
