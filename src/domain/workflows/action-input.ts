import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { APPROVAL_MODES, APPROVERS, HTTP_METHODS } from '../../contract/statuses.ts';
import { RESOURCE_TOOLS } from '../../contract/tool-names.ts';
import { headersInput } from '../headers-input.ts';
import { atMost } from '../input.ts';
import { checkDeadline, type DeadlineInput, deadlineFields } from './deadline-input.ts';
import { schemaInput, toolName, within } from './draft-fields.ts';
import { placeholdersOf, templateProblem } from './url-template.ts';

const integrationName = atMost(LIMITS.integrationNameLength).regex(/\S/, 'must not be blank');

const approvalFields = {
  mode: z.enum(APPROVAL_MODES),
  when: schemaInput.nullish(),
  approver: z.enum(APPROVERS).nullish(),
  allowAnonymous: z.boolean().nullish(),
  ...deadlineFields,
};

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

const headers = headersInput.superRefine((headers, context) => {
  for (const [index, { name }] of (headers ?? []).entries()) {
    if (!SECRET_HEADERS.test(name)) continue;
    const message = 'must be set in an integration, which encrypts header values. Headers of an action are readable';
    context.addIssue({ code: 'custom', path: [index, 'name'], message });
  }
});

const httpAction = z
  .object({
    name: toolName,
    description: atMost(LIMITS.toolDescriptionLength).nullish(),
    integration: integrationName.nullish(),
    method: z.enum(HTTP_METHODS).nullish(),
    url: atMost(LIMITS.addressLength),
    headers,
    inputSchema: schemaInput.nullish(),
    timeoutSeconds: within(1, LIMITS.actionSeconds).nullish(),
    retrySafe: z.boolean().nullish(),
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

const mcpServer = z.object({
  name: toolName.max(LIMITS.mcpServerNameLength, `must have at most ${LIMITS.mcpServerNameLength} characters`),
  integration: integrationName,
  tools: z
    .array(atMost(LIMITS.mcpToolNameLength).min(1, 'must not be blank'))
    .max(LIMITS.mcpTools, `must contain at most ${LIMITS.mcpTools} tools`)
    .nullish(),
  timeoutSeconds: within(1, LIMITS.actionSeconds).nullish(),
  retrySafe: z.boolean().nullish(),
  approval,
});

/** A tool of an MCP server has the name of the server, `_`, and the server's own name of the tool. */
const ruleName = atMost(LIMITS.mcpServerNameLength + 1 + LIMITS.mcpToolNameLength).regex(
  /^\S+$/,
  'must not have spaces',
);

/** The fields of a draft for tools that the server runs. */
export const actionFields = {
  httpActions: z
    .array(httpAction)
    .max(LIMITS.httpActions, `must contain at most ${LIMITS.httpActions} actions`)
    .nullish(),
  mcpServers: z.array(mcpServer).max(LIMITS.mcpServers, `must contain at most ${LIMITS.mcpServers} servers`).nullish(),
  resourceTools: z
    .array(z.enum(RESOURCE_TOOLS))
    .refine((tools) => new Set(tools).size === tools.length, 'must contain each tool once')
    .nullish(),
  toolApprovals: z
    .array(z.object({ ...approvalFields, tool: ruleName }).superRefine(checkApproval))
    .max(LIMITS.toolApprovals, `must contain at most ${LIMITS.toolApprovals} tools`)
    .refine((rules) => new Set(rules.map(({ tool }) => tool)).size === rules.length, 'must contain each tool once')
    .nullish(),
};
