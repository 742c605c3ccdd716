import { APPROVAL_MODES, APPROVERS } from '../../../contract/statuses.ts';
import type { Approval, WorkflowConfig } from '../../../domain/workflows/config.ts';
import { builder } from '../builder.ts';
import { enumType } from '../enum-type.ts';
import { deadlineFields, type FieldsOf } from './call-deadlines.ts';

const ApprovalModeEnum = enumType('ApprovalMode', APPROVAL_MODES, {
  description: 'Which calls of a server tool wait for an approval.',
  values: {
    never: 'No call waits.',
    always: 'Every call waits.',
    when: 'Calls whose arguments match the schema `when` wait.',
  },
});

export const ApproverEnum = enumType('Approver', APPROVERS, {
  description: 'Who can approve a call.',
  values: {
    client: 'Callers with a key, and visitors: the client of the conversation.',
    member: 'Signed-in members of the workspace.',
    either: 'All of them.',
  },
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
