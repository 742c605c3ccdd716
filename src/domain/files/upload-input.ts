import { z } from 'zod';
import { printableName, typeByName } from '../../contract/file-name.ts';
import { LIMITS } from '../../contract/limits.ts';
import { concreteMimeType } from '../message-content.ts';

const conversationId = z.guid('must be a UUID').toLowerCase().nullish();

/** A name for people. It never becomes a path, but clients may use it as one. */
const name = z
  .string()
  .max(LIMITS.fileNameLength, `must have at most ${LIMITS.fileNameLength} characters`)
  .refine((text) => text.trim() !== '' && text !== '.' && text !== '..', 'must not be blank')
  .refine((text) => !/[/\\]/.test(text), 'must not contain / or \\: send the name without its folders')
  .refine((text) => printableName(text) === text, 'must not contain control characters');

/** A new upload as a caller sends it. */
export const uploadInput = z
  .object({
    deploymentId: z.guid('must be a UUID').toLowerCase().nullish(),
    conversationId,
    name,
    mimeType: concreteMimeType,
    sizeBytes: z.int('must be a whole number').min(1, 'must be at least 1: empty files are not accepted'),
    sha256: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'must be a SHA-256 in hexadecimal digits')
      .toLowerCase()
      .nullish(),
  })
  .transform((input) => ({ ...input, mimeType: typeByName(input.mimeType, input.name) }));

export type UploadInput = z.output<typeof uploadInput>;
