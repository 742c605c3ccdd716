import { LIMITS } from '../../../contract/limits.ts';
import { formatBytes } from '../../../contract/quantities.ts';
import { APPROVAL_MODES, APPROVERS } from '../../../contract/statuses.ts';
import type { Approval, WorkflowConfig } from '../../../domain/workflows/config.ts';
import { builder, type InputFields } from '../builder.ts';
import { valuesOf } from '../enums.ts';
import { deadlineFields, deadlineInputs, type FieldsOf } from './call-deadlines.ts';

const ApprovalModeEnum = builder.enumType('ApprovalMode', {
  description: 'Which calls of a server tool wait for an approval.',
  values: valuesOf(APPROVAL_MODES, {
    never: 'No call waits.',
    always: 'Every call waits.',
    when: 'Calls whose arguments match the schema `when` wait.',
  }),
});

export const ApproverEnum = builder.enumType('Approver', {
  description: 'Who can approve a call.',
  values: valuesOf(APPROVERS, {
    client: 'Callers with a key, and visitors: the client of the conversation.',
    member: 'Signed-in members of the workspace.',
    either: 'All of them.',
  }),
});

const APPROVAL_FIELDS = {
  mode: { type: ApprovalModeEnum, description: 'Which calls wait.' },
  approver: { type: ApproverEnum, description: 'Who can approve them.' },
} as const;

const WHEN = 'A JSON Schema. With the mode WHEN, calls whose arguments match it wait.';

/** The fields of an approval, in each type that has them. */
function approvalFields<Shape extends Approval>(t: FieldsOf<Shape>) {
  return {
    mode: t.field({ ...APPROVAL_FIELDS.mode, resolve: ({ mode }) => mode }),
    when: t.field({ type: 'JSONObject', nullable: true, description: WHEN, resolve: ({ when }) => when ?? null }),
    approver: t.field({ ...APPROVAL_FIELDS.approver, resolve: ({ approver }) => approver }),
    ...deadlineFields(t),
  };
}

export const ApprovalObject = builder.objectRef<Approval>('Approval').implement({
  description: 'Which calls of a server tool wait for an approval, and whose.',
  fields: (t) => ({
    ...approvalFields(t),
  }),
});

export const ToolApprovalObject = builder.objectRef<WorkflowConfig['toolApprovals'][number]>('ToolApproval').implement({
  description: 'Which calls of one tool wait for an approval, and whose.',
  fields: (t) => ({
    tool: t.exposeString('tool', { description: 'The name that the model calls.' }),
    ...approvalFields(t),
  }),
});

const approvalInput = (t: InputFields) => ({
  mode: t.field({ ...APPROVAL_FIELDS.mode, required: true }),
  when: t.field({
    type: 'JSONObject',
    description: `${WHEN} At most ${formatBytes(LIMITS.schemaBytes)}, without external references.`,
  }),
  approver: t.field({ ...APPROVAL_FIELDS.approver, description: 'Who can approve them. Default: EITHER.' }),
  ...deadlineInputs(t),
});

export const ApprovalInput = builder.inputType('ApprovalInput', {
  description: 'Which calls of a server tool wait for an approval, and whose.',
  fields: approvalInput,
});

export const ToolApprovalInput = builder.inputType('ToolApprovalInput', {
  description: 'Which calls of one tool wait for an approval, and whose.',
  fields: (t) => ({
    tool: t.string({
      required: true,
      description: 'The name that the model calls, like crm_search or update_resource.',
    }),
    ...approvalInput(t),
  }),
});
