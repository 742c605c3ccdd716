import * as z from 'zod/mini';
import { TOOL_APPROVAL } from '../../../../shapes/actions.ts';
import { addProblem, converted, formatJson, optionalJsonObject, requiredText } from '../../forms/rules.ts';
import { deadlineFields, NO_DEADLINE, storedDeadline, withExpiry } from './deadline-values.ts';

const rule = {
  mode: z.enum(['NEVER', 'ALWAYS', 'WHEN']),
  when: optionalJsonObject,
  approver: z.enum(['CLIENT', 'MEMBER', 'EITHER']),
  anonymous: z.enum(['OPEN', 'YES', 'NO']),
  ...deadlineFields,
};

interface Rule {
  readonly mode: 'NEVER' | 'ALWAYS' | 'WHEN';
  readonly when: Record<string, unknown> | null;
}

interface Approvers {
  readonly approver: 'CLIENT' | 'MEMBER' | 'EITHER';
  readonly anonymous: 'OPEN' | 'YES' | 'NO';
}

/** Members are never anonymous. */
function withAnonymous<Values extends Approvers>({ anonymous, ...values }: Values) {
  const isDecided = values.approver !== 'MEMBER' && anonymous !== 'OPEN';
  return { ...values, allowAnonymous: isDecided ? anonymous === 'YES' : null };
}

/** The schema is only used with the mode WHEN, and needed then. */
function withWhen<Values extends Rule>(values: Values, context: z.core.ParsePayload): Values {
  if (values.mode !== 'WHEN') return { ...values, when: null };
  if (!values.when) addProblem(context, 'Enter a JSON Schema.', 'when');
  return values;
}

/** The approval of an action or a server. */
export const approvalSchema = converted(z.object(rule), (values, context) =>
  withAnonymous(withExpiry(withWhen(values, context), context)),
);

/** The approval of a single tool. */
export const toolApprovalSchema = converted(
  z.object({ ...rule, name: requiredText('a name', TOOL_APPROVAL.fields.tool.most) }),
  ({ name: tool, ...values }, context) => ({ tool, ...withAnonymous(withExpiry(withWhen(values, context), context)) }),
);

export type ApprovalValues = z.input<typeof approvalSchema>;

export const NO_APPROVAL: ApprovalValues = {
  ...{ mode: 'NEVER', when: '', approver: 'MEMBER', anonymous: 'OPEN' },
  ...NO_DEADLINE,
};

export const NEW_TOOL_APPROVAL = { ...NO_APPROVAL, mode: 'ALWAYS', name: '' } as const;

type Stored = Rule &
  Parameters<typeof storedDeadline>[0] &
  Pick<ApprovalValues, 'approver'> & { readonly allowAnonymous: boolean | null };

export function storedApproval(stored: Stored | null): ApprovalValues {
  if (!stored) return NO_APPROVAL;
  const { mode, when, approver, allowAnonymous } = stored;
  const anonymous = allowAnonymous === null ? 'OPEN' : allowAnonymous ? 'YES' : 'NO';
  return { mode, when: when ? formatJson(when) : '', approver, anonymous, ...storedDeadline(stored) };
}
