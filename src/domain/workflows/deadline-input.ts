import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { formatBytes } from '../../contract/quantities.ts';
import { DEADLINE_FIELDS, EXPIRY } from '../../shapes/deadlines.ts';
import { rulesOf } from '../../shapes/field.ts';
import { objectInput } from './draft-fields.ts';

const fits = (output: unknown) => Buffer.byteLength(JSON.stringify(output ?? null)) <= LIMITS.toolOutputBytes;

const onExpiry = z
  .object({
    ...rulesOf(EXPIRY.fields),
    output: objectInput.refine(fits, `must be at most ${formatBytes(LIMITS.toolOutputBytes)} as JSON`).nullish(),
  })
  .superRefine(({ mode, output }, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['output'], message });
    if (mode === 'default' && output == null) refuse('is required with mode default: the output of the call');
    if (mode !== 'default' && output != null) refuse(`must be left out with mode ${mode}`);
  });

/** The fields of a draft for the deadline of a pending call. */
export const deadlineFields = {
  ...rulesOf(DEADLINE_FIELDS),
  onExpiry: onExpiry.nullish(),
};

export interface DeadlineInput {
  readonly expiresAfterSeconds?: number | null | undefined;
  readonly onExpiry?: object | null | undefined;
}

export function checkDeadline({ expiresAfterSeconds, onExpiry: then }: DeadlineInput, context: z.RefinementCtx): void {
  if (expiresAfterSeconds != null || then == null) return;
  context.addIssue({ code: 'custom', path: ['onExpiry'], message: 'needs expiresAfterSeconds' });
}
