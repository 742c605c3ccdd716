import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';

/** What a workflow or a deployment is called. */
export const nameInput = z
  .string()
  .max(LIMITS.workflowNameLength, `must have at most ${LIMITS.workflowNameLength} characters`)
  .refine((text) => text.trim() !== '', 'must not be blank');
