import { HTTP_METHODS } from '../../../contract/statuses.ts';
import { RESOURCE_TOOLS } from '../../../contract/tool-names.ts';
import type { HttpAction, McpServerConfig } from '../../../domain/workflows/config.ts';
import { RETRY_SAFE } from '../../../shapes/actions.ts';
import { builder } from '../builder.ts';
import { enumType } from '../enum-type.ts';
import { ApprovalObject } from './workflow-approvals.ts';

const HttpMethodEnum = enumType('HttpMethod', HTTP_METHODS, {
  description: 'The method of an HTTP action.',
  values: {
    GET: 'Reads data. Arguments that are not in the URL go into the query string.',
    POST: 'Sends arguments that are not in the URL as a JSON object in the body.',
    PUT: 'Creates or replaces an object. Sends arguments like POST.',
    PATCH: 'Changes a part of an object. Sends arguments like POST.',
    DELETE: 'Deletes an object. Sends arguments like GET.',
  },
});

export const ResourceToolEnum = enumType('ResourceTool', RESOURCE_TOOLS, {
  description: "A built-in tool for the resources of the run's environment.",
  values: {
    find_resources: 'Lists resources by type and field value.',
    read_resource: 'Reads a resource by ID.',
    create_resource: 'Creates a resource. Logs the event resource.created.',
    update_resource: 'Changes fields of a resource. Logs the event resource.updated.',
  },
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
    retrySafe: t.exposeBoolean('retrySafe', { description: `${RETRY_SAFE}.` }),
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
    retrySafe: t.exposeBoolean('retrySafe', { description: `${RETRY_SAFE}.` }),
    approval: t.field({
      type: ApprovalObject,
      nullable: true,
      description:
        'The calls that wait for an approval. Null: no call. `toolApprovals` of the workflow take precedence.',
      resolve: ({ approval }) => approval ?? null,
    }),
  }),
});
