import { LIMITS } from '../../../contract/limits.ts';
import { formatBytes, formatCount } from '../../../contract/quantities.ts';
import { HTTP_METHODS } from '../../../contract/statuses.ts';
import { RESOURCE_TOOLS } from '../../../contract/tool-names.ts';
import type { HttpAction, McpServerConfig } from '../../../domain/workflows/config.ts';
import { builder, type InputFields } from '../builder.ts';
import { valuesOf } from '../enums.ts';
import { ApprovalInput, ApprovalObject, ToolApprovalInput } from './workflow-approvals.ts';

const RETRY_SAFE =
  'Whether a call can be repeated if its process died before it stored the outcome. If not, the model gets an error: the outcome is unknown.';

const HttpMethodEnum = builder.enumType('HttpMethod', {
  description: 'The method of an HTTP action.',
  values: valuesOf(HTTP_METHODS, {
    GET: 'Reads data. Arguments that are not in the URL go into the query string.',
    POST: 'Sends arguments that are not in the URL as a JSON object in the body.',
    PUT: 'Creates or replaces an object. Sends arguments like POST.',
    PATCH: 'Changes a part of an object. Sends arguments like POST.',
    DELETE: 'Deletes an object. Sends arguments like GET.',
  }),
});

export const ResourceToolEnum = builder.enumType('ResourceTool', {
  description: "A built-in tool for the resources of the run's environment.",
  values: valuesOf(RESOURCE_TOOLS, {
    find_resources: 'Lists resources by type and field value.',
    read_resource: 'Reads a resource by ID.',
    create_resource: 'Creates a resource. Logs the event resource.created.',
    update_resource: 'Changes fields of a resource. Logs the event resource.updated.',
  }),
});

const ActionHeader = builder.objectRef<HttpAction['headers'][number]>('ActionHeader').implement({
  description: 'A header without secrets.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The header name.' }),
    value: t.exposeString('value', { description: 'The header value.' }),
  }),
});

export const HttpActionObject = builder.objectRef<HttpAction>('HttpAction').implement({
  description: 'A tool that sends an HTTP request from the server.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the tool.' }),
    description: t.exposeString('description', { description: 'The description for the model. It can be empty.' }),
    integration: t.string({
      nullable: true,
      description: 'The name of the HTTP integration whose base URL and headers it uses. Null: url is absolute.',
      resolve: ({ integration }) => integration ?? null,
    }),
    method: t.expose('method', { type: HttpMethodEnum, description: 'The request method.' }),
    url: t.exposeString('url', {
      description:
        "An absolute URL, or a path that is appended to the integration's base URL. {name} is replaced with an argument.",
    }),
    headers: t.expose('headers', {
      type: [ActionHeader],
      description: 'Headers of the request, in addition to the headers of the integration.',
    }),
    inputSchema: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'The JSON Schema of the arguments. Null: it has no arguments.',
      resolve: ({ inputSchema }) => inputSchema ?? null,
    }),
    timeoutSeconds: t.exposeInt('timeoutSeconds', { description: 'Time limit in seconds.' }),
    retrySafe: t.exposeBoolean('retrySafe', { description: RETRY_SAFE }),
    approval: t.field({
      type: ApprovalObject,
      nullable: true,
      description:
        'The calls that wait for an approval. Null: no call. `toolApprovals` of the workflow take precedence.',
      resolve: ({ approval }) => approval ?? null,
    }),
  }),
});

export const McpServerObject = builder.objectRef<McpServerConfig>('McpServer').implement({
  description: 'An MCP server whose tools the model can call.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The prefix of its tool names, followed by "_".' }),
    integration: t.exposeString('integration', { description: 'The name of the MCP integration.' }),
    tools: t.stringList({
      nullable: true,
      description: "The server's names of the offered tools. Null: all tools.",
      resolve: ({ tools }) => tools ?? null,
    }),
    timeoutSeconds: t.exposeInt('timeoutSeconds', { description: 'Time limit of a call in seconds.' }),
    retrySafe: t.exposeBoolean('retrySafe', { description: RETRY_SAFE }),
    approval: t.field({
      type: ApprovalObject,
      nullable: true,
      description:
        'The calls that wait for an approval. Null: no call. `toolApprovals` of the workflow take precedence.',
      resolve: ({ approval }) => approval ?? null,
    }),
  }),
});

const ActionHeaderInput = builder.inputType('ActionHeaderInput', {
  description: 'A header without secrets. Everyone who can read the workflow can read it.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: 'The header name. Authorization, Cookie and X-API-Key are not allowed: use an integration.',
    }),
    value: t.string({
      required: true,
      description: `Visible Latin-1 characters, at most ${formatBytes(LIMITS.headerValueBytes)}.`,
    }),
  }),
});

const HttpActionInput = builder.inputType('HttpActionInput', {
  description: 'A tool that sends an HTTP request from the server.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: `1 to ${LIMITS.toolNameLength} letters, digits, _ or -, starting with a letter. No other tool can have the same name.`,
    }),
    description: t.string({
      description: `The description for the model, at most ${formatCount(LIMITS.toolDescriptionLength)} characters.`,
    }),
    integration: t.string({
      description:
        "The name of an HTTP integration in the run's environment. Its URL is the base of `url`, and the request has its headers.",
    }),
    method: t.field({ type: HttpMethodEnum, description: 'The request method. Default: GET.' }),
    url: t.string({
      required: true,
      description:
        'https://… without a placeholder in the host. With an integration: a path like /orders/{order_id}, appended to its URL. Placeholders are replaced with percent-encoded arguments, which inputSchema must require. GET and DELETE send other arguments in the query string, other methods as a JSON object in the body.',
    }),
    headers: t.field({
      type: [ActionHeaderInput],
      description: `At most ${LIMITS.integrationHeaders} headers. Default: an empty list.`,
    }),
    inputSchema: t.field({
      type: 'JSONObject',
      description: `A JSON Schema of type object: at most ${formatBytes(LIMITS.schemaBytes)}, without external references. Default: no arguments.`,
    }),
    timeoutSeconds: t.int({
      description: `Time limit in seconds: 1 to ${LIMITS.actionSeconds}. Default: ${LIMITS.defaultActionSeconds}.`,
    }),
    retrySafe: t.boolean({ description: `${RETRY_SAFE} Default: false.` }),
    approval: t.field({ type: ApprovalInput, description: 'The calls that wait for an approval. Default: no call.' }),
  }),
});

const McpServerInput = builder.inputType('McpServerInput', {
  description: 'An MCP server whose tools the model can call.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: `1 to ${LIMITS.mcpServerNameLength} letters, digits, _ or -, starting with a letter. It is the prefix of its tool names, followed by "_". No other tool name can have this prefix.`,
    }),
    integration: t.string({
      required: true,
      description: "The name of an MCP integration in the run's environment.",
    }),
    tools: t.stringList({
      description: `The server's names of the tools to offer, at most ${LIMITS.mcpTools}. Default: all tools.`,
    }),
    timeoutSeconds: t.int({
      description: `Time limit of a call in seconds: 1 to ${LIMITS.actionSeconds}. Default: ${LIMITS.defaultActionSeconds}.`,
    }),
    retrySafe: t.boolean({ description: `${RETRY_SAFE} Default: false.` }),
    approval: t.field({
      type: ApprovalInput,
      description: 'The calls that wait for an approval. Default: every call of a new server.',
    }),
  }),
});

/** The fields of a draft for server tools. */
export function actionInputs(t: InputFields) {
  return {
    httpActions: t.field({
      type: [HttpActionInput],
      description: `All HTTP actions of the workflow, at most ${LIMITS.httpActions}. Default: an empty list.`,
    }),
    mcpServers: t.field({
      type: [McpServerInput],
      description: `All MCP servers of the workflow, at most ${LIMITS.mcpServers}. Default: an empty list.`,
    }),
    resourceTools: t.field({
      type: [ResourceToolEnum],
      description: 'The enabled tools. Default: an empty list.',
    }),
    toolApprovals: t.field({
      type: [ToolApprovalInput],
      description: `Approvals of single tools, at most ${LIMITS.toolApprovals}: of MCP servers, and for resources. They take precedence over the approval of an action or server. Default: an empty list.`,
    }),
  };
}
