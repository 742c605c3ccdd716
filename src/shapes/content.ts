import * as z from 'zod/mini';
import { fileIdOfUri } from '../contract/file-uri.ts';
import { LIMITS } from '../contract/limits.ts';
import { formatBytes } from '../contract/quantities.ts';
import { input, required } from './field.ts';
import { list, object, text, textOf } from './kinds.ts';
import { mimeType } from './mime-type.ts';

/** What a URL parser would take out or turn round silently: white space, control characters, backslashes, one slash. */
const HTTP_URL = /^https?:\/\/[^\s\p{Cc}\\]+$/iu;

const fileUri = z.string().check(
  z.maxLength(LIMITS.fileUriLength, `must have at most ${LIMITS.fileUriLength} characters`),
  z.refine(
    (uri) => (HTTP_URL.test(uri) && URL.canParse(uri)) || fileIdOfUri(uri) !== undefined,
    'must be an absolute http or https URL, or the parley: URI of an uploaded file',
  ),
);

const TYPE = required(textOf(mimeType, { says: 'The MIME type, for example image/png' }));

export const FILE = input('FileInput', 'A file by URL, or an uploaded file.', {
  mimeType: TYPE,
  fileUri: required(textOf(fileUri, { says: 'An absolute http or https URL, or the `fileUri` of an upload' })),
});

/** The domain also checks that `data` is base64. */
export const INLINE_FILE = input('InlineFileInput', 'An inline file.', {
  mimeType: TYPE,
  data: required(textOf(z.string(), { says: `Base64 of at most ${formatBytes(LIMITS.inlineBytes)} of data` })),
});

const isOneOf = true;

export const CONTENT_PART = input(
  'ContentPartInput',
  'One part of a message: exactly one of the fields.',
  {
    text: text({ says: 'Text', most: LIMITS.textLength }),
    url: object(FILE, 'A file of any media type'),
    image: object(FILE, 'A file whose media type is an image'),
    video: object(FILE, 'A file whose media type is a video'),
    audio: object(FILE, 'A file whose media type is audio'),
    data: object(INLINE_FILE, 'An inline file'),
  },
  { isOneOf },
);

/** The parts of a message. The domain checks the parts. */
export const contentParts = (says: string, form?: string) =>
  list(CONTENT_PART, {
    says: `${says}: {bounds} parts`,
    least: 1,
    most: LIMITS.contentParts,
    noun: 'parts',
    // Null and an empty list mean that a trigger supplies the content.
    ...(form ? { form, bounds: { maxItems: LIMITS.contentParts } } : {}),
  });
