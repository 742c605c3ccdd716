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

const ANONYMOUS =
  'Whether callers without credentials count as the client, so that a visitor can approve the own request.';

const WHEN = 'A JSON Schema. With the mode WHEN, calls whose arguments match it wait.';

/** The fields of an approval, in each type that has them. */
function approvalFields<Shape extends Approval>(t: FieldsOf<Shape>) {
  return {
    mode: t.field({ ...APPROVAL_FIELDS.mode, resolve: ({ mode }) => mode }),
    when: t.field({ type: 'JSONObject', nullable: true, description: WHEN, resolve: ({ when }) => when ?? null }),
    approver: t.field({ ...APPROVAL_FIELDS.approver, resolve: ({ approver }) => approver }),
    allowAnonymous: t.boolean({
      nullable: true,
      description: `${ANONYMOUS} Null: not decided, which counts as false.`,
      resolve: ({ allowAnonymous }) => allowAnonymous ?? null,
    }),
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
    tool: t.exposeString('tool', {
      description: 'The name that the model calls. Of an MCP server: its name, `_`, and its own name of the tool.',
    }),
    ...approvalFields(t),
  }),
});

const approvalInput = (t: InputFields) => ({
  mode: t.field({ ...APPROVAL_FIELDS.mode, required: true }),
  when: t.field({
    type: 'JSONObject',
    description: `${WHEN} At most ${formatBytes(LIMITS.schemaBytes)}, without external references.`,
  }),
  approver: t.field({ ...APPROVAL_FIELDS.approver, description: 'Who can approve them. Default: MEMBER.' }),
  allowAnonymous: t.boolean({
    description: `${ANONYMOUS} Needs the approver CLIENT or EITHER. A version for a public deployment must say it for these approvers.`,
  }),
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
      description:
        'The name of the tool, like update_resource. Of an MCP server: its name, `_`, and its own name of the tool, like crm_issues.search.',
    }),
    ...approvalInput(t),
  }),
});
