import * as z from 'zod/mini';
import { printableName } from '../contract/file-name.ts';
import { LIMITS } from '../contract/limits.ts';
import { formatBytes, formatCount } from '../contract/quantities.ts';
import { input, required } from './field.ts';
import { id, integer, textOf } from './kinds.ts';
import { mimeType } from './mime-type.ts';

/**
 * Characters that no name has: slashes, control and format characters. By code point, because many validators compile
 * patterns without Unicode classes. Those beyond the Basic Multilingual Plane cannot be stated this way.
 */
const NOT_IN_NAME =
  '/\\\\\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\ufff9-\\ufffb';

/** Not blank, no path, and no invisible characters. */
const NAME_PATTERN = `^[^${NOT_IN_NAME}]*[^\\s${NOT_IN_NAME}][^${NOT_IN_NAME}]*$`;

/** The form of the MIME type of one file: no `*`. */
const TYPE_PATTERN =
  '^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*( *; *[A-Za-z0-9!#$&^_.+-]+=([A-Za-z0-9!#$&^_.+-]+|"[ !#-)+-\\[\\]-~]*"))*$';

/** A name for people. It never becomes a path, but clients may use it as one. */
const name = z.string().check(
  z.maxLength(LIMITS.fileNameLength, `must have at most ${LIMITS.fileNameLength} characters`),
  z.refine((text) => text.trim() !== '' && text !== '.' && text !== '..', 'must not be blank'),
  z.refine((text) => !/[/\\]/.test(text), 'must not contain / or \\: send the name without its folders'),
  z.refine((text) => printableName(text) === text, 'must not contain control characters'),
);

/** The type of one file: no wildcard. */
const concreteMimeType = mimeType.check(z.refine((text) => !text.includes('*'), 'must be the MIME type of one file'));

const sha256 = z
  .string()
  .check(z.regex(/^[0-9a-fA-F]{64}$/, 'must be a SHA-256 in hexadecimal digits'), z.toLowerCase());

export const CREATE_UPLOAD = input(
  'CreateUploadInput',
  'A file to upload. Callers without credentials name a conversation or a deployment.',
  {
    deploymentId: id('Deployment', { says: 'The deployment that the file is for', note: 'Its limits apply.' }),
    conversationId: id('Conversation', {
      says: 'The conversation that the file is for',
      note: 'The limits of its deployment apply.',
    }),
    name: required(
      textOf(name, {
        says: `The name of the file, without folders: 1 to ${LIMITS.fileNameLength} characters`,
        bounds: { maxLength: LIMITS.fileNameLength, pattern: NAME_PATTERN, not: { enum: ['.', '..'] } },
      }),
    ),
    mimeType: required(
      textOf(concreteMimeType, {
        says: 'The MIME type, for example application/pdf',
        bounds: { maxLength: LIMITS.mimeTypeLength, pattern: TYPE_PATTERN },
      }),
    ),
    // The limit of the deployment is the highest value.
    sizeBytes: required(
      integer({
        says: `The size: 1 to ${formatCount(LIMITS.fileBytes)} bytes`,
        note: `Default limit: ${formatBytes(LIMITS.defaultFileBytes)}, without credentials ${formatBytes(LIMITS.defaultAnonymousFileBytes)}.`,
        bounds: { minimum: 1 },
      }),
    ),
    sha256: textOf(sha256, {
      says: 'The SHA-256 of the bytes in hexadecimal digits, to find transfer errors',
      bounds: { minLength: 64, maxLength: 64, pattern: '^[0-9a-fA-F]*$' },
    }),
  },
);
