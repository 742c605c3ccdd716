import { z } from 'zod';
import { typeByName } from '../../contract/file-name.ts';
import { rulesOf } from '../../shapes/field.ts';
import { CREATE_UPLOAD } from '../../shapes/uploads.ts';

/** A new upload as a caller sends it. */
export const uploadInput = z
  .object(rulesOf(CREATE_UPLOAD.fields))
  .transform((input) => ({ ...input, mimeType: typeByName(input.mimeType, input.name) }));

export type UploadInput = z.output<typeof uploadInput>;
