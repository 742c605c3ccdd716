import { LIMITS } from '../contract/limits.ts';
import { formatBytes } from '../contract/quantities.ts';
import { APPROVAL_MODES, APPROVERS, HTTP_METHODS } from '../contract/statuses.ts';
import { DEADLINE_FIELDS } from './deadlines.ts';
import { input, required } from './field.ts';
import { header, headers } from './headers.ts';
import { anyObject, choice, flag, integer, map, object, text, textOf, textRule, texts } from './kinds.ts';
import { integrationName } from './names.ts';
import { jsonSchema, toolDescription, toolName } from './tools.ts';

/** The name of an integration. */
const integrationOf = (says: string, note?: string) =>
  textOf(required(integrationName).rule, { says, most: integrationName.most, ...(note && { note }) });

const approvalFields = {
  mode: required(choice('Which calls wait', APPROVAL_MODES)),
  when: map(anyObject, {
    says: 'A JSON Schema',
    note: `With the mode WHEN, calls whose arguments match it wait. At most ${formatBytes(LIMITS.schemaBytes)}, without external references.`,
  }),
  approver: choice('Who can approve them', APPROVERS, 'member'),
  allowAnonymous: flag({
    says: 'Whether callers without credentials count as the client, so that a visitor can approve the own request',
    note: 'Needs the approver CLIENT or EITHER. A version for a public deployment must say it for these approvers.',
  }),
  ...DEADLINE_FIELDS,
};

export const APPROVAL = input(
  'ApprovalInput',
  'Which calls of a server tool wait for an approval, and whose.',
  approvalFields,
);

/** A tool of an MCP server has the name of the server, `_`, and the server's own name of the tool. */
const RULE_NAME_LENGTH = LIMITS.mcpServerNameLength + 1 + LIMITS.mcpToolNameLength;

export const TOOL_APPROVAL = input('ToolApprovalInput', 'Which calls of one tool wait for an approval, and whose.', {
  tool: required(
    textOf(textRule({ most: RULE_NAME_LENGTH, pattern: [/^\S+$/, 'must not have spaces'] }), {
      says: 'The name of the tool, like update_resource',
      note: 'Of an MCP server: its name, `_`, and its own name of the tool, like crm_issues.search.',
      most: RULE_NAME_LENGTH,
    }),
  ),
  ...approvalFields,
});

/** Whether a tool of the server can run twice. */
export const RETRY_SAFE =
  'Whether a call can be repeated if its process died before it stored the outcome. If not, the model gets an error: the outcome is unknown';

const seconds = (says: string) => integer({ says, most: LIMITS.actionSeconds, byDefault: LIMITS.defaultActionSeconds });

const approval = (form: string) => object(APPROVAL, { says: 'The calls that wait for an approval', form });

const ACTION_HEADER = header(
  'ActionHeaderInput',
  'A header without secrets. Everyone who can read the workflow can read it.',
  {
    of: 'The header name',
    note: 'Authorization, Cookie and X-API-Key are not allowed: use an integration.',
    value: 'Visible Latin-1 characters',
  },
);

export const HTTP_ACTION = input('HttpActionInput', 'A tool that sends an HTTP request from the server.', {
  name: required(toolName('No other tool can have the same name.')),
  description: toolDescription,
  integration: integrationOf(
    "The name of an HTTP integration in the run's environment",
    'Its URL is the base of `url`, and the request has its headers.',
  ),
  method: choice('The request method', HTTP_METHODS, 'GET'),
  url: required(
    text({
      says: 'https://… without a placeholder in the host, {bounds}. With an integration: a path like /orders/{order_id}, appended to its URL',
      note: 'Placeholders are replaced with percent-encoded arguments, which inputSchema must require. GET and DELETE send other arguments in the query string, other methods as a JSON object in the body.',
      most: LIMITS.addressLength,
      canBeBlank: true,
    }),
  ),
  headers: headers(ACTION_HEADER, '{bounds} headers', 'Default: an empty list.'),
  inputSchema: jsonSchema('', 'Default: no arguments.'),
  timeoutSeconds: seconds('Time limit in seconds'),
  retrySafe: flag(RETRY_SAFE, false),
  approval: approval('Default: no call.'),
});

export const MCP_SERVER = input('McpServerInput', 'An MCP server whose tools the model can call.', {
  name: required(
    toolName(
      'It is the prefix of its tool names, followed by "_". No other tool name can have this prefix.',
      LIMITS.mcpServerNameLength,
    ),
  ),
  integration: required(integrationOf("The name of an MCP integration in the run's environment")),
  tools: texts(textRule({ least: 1, most: LIMITS.mcpToolNameLength, canBeBlank: true }), {
    says: "The server's names of the tools to offer, {bounds}",
    most: LIMITS.mcpTools,
    noun: 'tools',
    form: 'Default: all tools.',
    keepsRepeats: true,
  }),
  timeoutSeconds: seconds('Time limit of a call in seconds'),
  retrySafe: flag(RETRY_SAFE, false),
  approval: approval('Default: every call of a new server.'),
});
