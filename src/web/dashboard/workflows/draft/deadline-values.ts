import * as z from 'zod/mini';
import { DEADLINE_FIELDS } from '../../../../shapes/deadlines.ts';
import { addProblem, formatJson, optionalJsonObject } from '../../forms/rules.ts';
import { formRules } from '../../forms/shape-rules.ts';

/** The fields of a form for the deadline of a call. They are flat, so that one component shows them everywhere. */
export const deadlineFields = {
  ...formRules({ expiresAfterSeconds: DEADLINE_FIELDS.expiresAfterSeconds }),
  expiryMode: z.enum(['CANCEL', 'DENY', 'DEFAULT']),
  expiryOutput: optionalJsonObject,
};

interface Deadline {
  readonly expiresAfterSeconds: number | null;
  readonly expiryMode: 'CANCEL' | 'DENY' | 'DEFAULT';
  readonly expiryOutput: Record<string, unknown> | null;
}

/** Converts the fields to the input of the service. */
export function withExpiry<Values extends Deadline>(
  { expiryMode: mode, expiryOutput, ...values }: Values,
  context: z.core.ParsePayload,
) {
  if (values.expiresAfterSeconds === null) return { ...values, onExpiry: null };
  const output = mode === 'DEFAULT' ? expiryOutput : null;
  if (mode === 'DEFAULT' && !output) {
    addProblem(context, 'Enter a JSON object.', 'expiryOutput');
  }
  return { ...values, onExpiry: { mode, output } };
}

export const NO_DEADLINE = { expiresAfterSeconds: '', expiryMode: 'CANCEL', expiryOutput: '' } as const;

interface Stored {
  readonly expiresAfterSeconds: number | null;
  readonly onExpiry: { readonly mode: Deadline['expiryMode']; readonly output: Record<string, unknown> | null } | null;
}

export function storedDeadline({ expiresAfterSeconds, onExpiry }: Stored) {
  return {
    expiresAfterSeconds: String(expiresAfterSeconds ?? ''),
    expiryMode: onExpiry?.mode ?? 'CANCEL',
    expiryOutput: onExpiry?.output ? formatJson(onExpiry.output) : '',
  };
}
