import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';

/** With parameters, as browsers name recordings (`audio/webm;codecs=opus`), and as a wildcard (`image/*`). */
const MIME_TYPE =
  /^[a-z0-9][a-z0-9!#$&^_.+-]*\/(\*|[a-z0-9][a-z0-9!#$&^_.+-]*)( *; *[a-z0-9!#$&^_.+-]+=([a-z0-9!#$&^_.+-]+|"[ !#-[\]-~]*"))*$/i;

/** The type of a file, or a wildcard. */
export const mimeType = z
  .string()
  .check(
    z.maxLength(LIMITS.mimeTypeLength, `must have at most ${LIMITS.mimeTypeLength} characters`),
    z.regex(MIME_TYPE, 'must be a MIME type like image/png'),
  );
