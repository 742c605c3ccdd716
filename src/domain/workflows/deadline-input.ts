import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { formatBytes } from '../../contract/quantities.ts';
import { EXPIRY_MODES } from '../../contract/statuses.ts';
import { objectInput, within } from './draft-fields.ts';

const fits = (output: unknown) => Buffer.byteLength(JSON.stringify(output ?? null)) <= LIMITS.toolOutputBytes;

const onExpiry = z
  .object({
    mode: z.enum(EXPIRY_MODES),
    output: objectInput.refine(fits, `must be at most ${formatBytes(LIMITS.toolOutputBytes)} as JSON`).nullish(),
  })
  .superRefine(({ mode, output }, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['output'], message });
    if (mode === 'default' && output == null) refuse('is required with mode default: the output of the call');
    if (mode !== 'default' && output != null) refuse(`must be left out with mode ${mode}`);
  });

/** The fields of a draft for the deadline of a pending call. */
export const deadlineFields = {
  expiresAfterSeconds: within(1, LIMITS.expirySeconds).nullish(),
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
