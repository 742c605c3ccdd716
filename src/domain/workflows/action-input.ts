import { z } from 'zod';
import type { APPROVAL_MODES, APPROVERS } from '../../contract/statuses.ts';
import { APPROVAL, HTTP_ACTION, MCP_SERVER, TOOL_APPROVAL } from '../../shapes/actions.ts';
import { rulesOf } from '../../shapes/field.ts';
import { sized } from '../../shapes/kinds.ts';
import { WORKFLOW_DRAFT } from '../../shapes/workflows.ts';
import { checkDeadline, type DeadlineInput, deadlineFields } from './deadline-input.ts';
import { placeholdersOf, templateProblem } from './url-template.ts';

const approvalFields = { ...rulesOf(APPROVAL.fields), ...deadlineFields };

interface ApprovalInput extends DeadlineInput {
  readonly mode: (typeof APPROVAL_MODES)[number];
  readonly when?: unknown;
  readonly approver?: (typeof APPROVERS)[number] | null | undefined;
  readonly allowAnonymous?: boolean | null | undefined;
}

function checkApproval(
  { mode, when, approver, allowAnonymous, ...deadline }: ApprovalInput,
  context: z.RefinementCtx,
): void {
  checkDeadline(deadline, context);
  if (allowAnonymous && approver !== 'client' && approver !== 'either') {
    const message =
      'must be false or left out, because members are never anonymous. Set the approver to CLIENT or EITHER';
    context.addIssue({ code: 'custom', path: ['allowAnonymous'], message });
  }
  const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['when'], message });
  if (mode === 'when' && when == null) refuse('is required with mode when: a JSON Schema of the arguments');
  if (mode !== 'when' && when != null) refuse(`must be left out with mode ${mode}`);
}

const approval = z.object(approvalFields).superRefine(checkApproval).nullish();

/** Credentials belong in an integration, which encrypts them. */
const SECRET_HEADERS = /^(authorization|cookie|x-api-key)$/i;

const headers = HTTP_ACTION.fields.headers.rule.check(
  z.superRefine((headers, context) => {
    for (const [index, { name }] of (headers ?? []).entries()) {
      if (!SECRET_HEADERS.test(name)) continue;
      const message = 'must be set in an integration, which encrypts header values. Headers of an action are readable';
      context.addIssue({ code: 'custom', path: [index, 'name'], message });
    }
  }),
);

const httpAction = z
  .object({
    ...rulesOf(HTTP_ACTION.fields),
    headers,
    approval,
  })
  .superRefine(({ url, integration, inputSchema }, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['url'], message });
    const problem = templateProblem(url, { isRelative: integration != null });
    if (problem) return refuse(problem);
    const required: unknown = inputSchema?.required;
    // The schema is not validated yet, so the list can have any length.
    const names = new Set<unknown>(Array.isArray(required) ? required : []);
    const open = placeholdersOf(url).find((name) => !names.has(name));
    if (open) refuse(`must have only placeholders that inputSchema requires, and it does not require ${open}`);
  });

const mcpServer = z.object({ ...rulesOf(MCP_SERVER.fields), approval });

const toolApproval = z.object({ ...approvalFields, tool: TOOL_APPROVAL.fields.tool.rule }).superRefine(checkApproval);

const { httpActions, mcpServers, toolApprovals } = WORKFLOW_DRAFT.fields;

/** The fields of a draft for tools that the server runs. */
export const actionFields = {
  httpActions: z.nullish(sized(httpAction, httpActions)),
  mcpServers: z.nullish(sized(mcpServer, mcpServers)),
  toolApprovals: z.nullish(
    sized(toolApproval, toolApprovals).check(
      z.refine((rules) => new Set(rules.map(({ tool }) => tool)).size === rules.length, 'must contain each tool once'),
    ),
  ),
};
