import { HTTP_METHODS } from '../contract/statuses.ts';
import { RESOURCE_TOOLS } from '../contract/tool-names.ts';
import type { HttpAction, McpServerConfig } from '../domain/workflows/config.ts';
import { builder, type InputFields } from './builder.ts';
import { valuesOf } from './enum-values.ts';

const HttpMethodEnum = builder.enumType('HttpMethod', {
  description: 'How an HTTP action asks.',
  values: valuesOf(HTTP_METHODS, {
    GET: 'Reads. Arguments that are not in the address go into its query.',
    POST: 'Sends arguments that are not in the address as a JSON object.',
    PUT: 'Sends them as POST does, to put something in a place.',
    PATCH: 'Sends them as POST does, to change a part of something.',
    DELETE: 'Removes. Arguments that are not in the address go into its query.',
  }),
});

export const ResourceToolEnum = builder.enumType('ResourceTool', {
  description: 'A built-in tool for the resources of the environment that a run acts in.',
  values: valuesOf(RESOURCE_TOOLS, {
    find_resources: 'Lists resources of a type, or those with a field of a value.',
    read_resource: 'Reads one resource by its id.',
    create_resource: 'Creates a resource; the log tells of it.',
    update_resource: 'Changes fields of a resource; the log tells of it.',
  }),
});

const ActionHeader = builder.objectRef<HttpAction['headers'][number]>('ActionHeader').implement({
  description: 'A header that is no secret.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Of the header.' }),
    value: t.exposeString('value', { description: 'Sent as it is.' }),
  }),
});

export const HttpActionObject = builder.objectRef<HttpAction>('HttpAction').implement({
  description: 'A request that the server makes where the model calls it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What the model calls it.' }),
    description: t.exposeString('description', { description: 'What the model is told of it; may be empty.' }),
    integration: t.string({
      nullable: true,
      description: 'Name of the HTTP integration whose address and headers it uses; null where url is absolute.',
      resolve: ({ integration }) => integration ?? null,
    }),
    method: t.expose('method', { type: HttpMethodEnum, description: 'How it asks.' }),
    url: t.exposeString('url', {
      description:
        'Absolute, or what stands behind the address of the integration. {name} is filled from the arguments.',
    }),
    headers: t.expose('headers', { type: [ActionHeader], description: 'Sent along, beside those of the integration.' }),
    inputSchema: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'JSON Schema of its arguments; null where it takes none.',
      resolve: ({ inputSchema }) => inputSchema ?? null,
    }),
    timeoutSeconds: t.exposeInt('timeoutSeconds', { description: 'Longest that it may take.' }),
  }),
});

export const McpServerObject = builder.objectRef<McpServerConfig>('McpServer').implement({
  description: 'An MCP server whose tools the model may call.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The names of its tools begin with this and "_".' }),
    integration: t.exposeString('integration', { description: 'Name of the MCP integration.' }),
    tools: t.stringList({
      nullable: true,
      description: "The server's own names of the tools that are offered; null for all.",
      resolve: ({ tools }) => tools ?? null,
    }),
    timeoutSeconds: t.exposeInt('timeoutSeconds', { description: 'Longest that a call may take.' }),
  }),
});

const ActionHeaderInput = builder.inputType('ActionHeaderInput', {
  description: 'A header that is no secret: it can be read by whoever reads the workflow.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: 'Not Authorization, Cookie or X-API-Key: those are for integrations.',
    }),
    value: t.string({ required: true, description: 'Visible characters of Latin-1: at most 4 KiB.' }),
  }),
});

const HttpActionInput = builder.inputType('HttpActionInput', {
  description: 'A request that the server makes where the model calls it.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: '1 to 64 letters, digits, _ or -, beginning with a letter; no other tool may have it.',
    }),
    description: t.string({ description: 'What the model is told of it: at most 2,000 characters.' }),
    integration: t.string({
      description:
        'Name of an HTTP integration: the one of this name in the environment that a run acts in. Its address stands before url, and its headers are sent along.',
    }),
    method: t.field({ type: HttpMethodEnum, description: 'How it asks: by default GET.' }),
    url: t.string({
      required: true,
      description:
        'https://… without a placeholder in its host, or with an integration what stands behind its address, such as /orders/{order_id}. Placeholders are filled, percent-encoded, from arguments that inputSchema requires. Other arguments go into the query of a GET or DELETE, and as a JSON object into the body of any other.',
    }),
    headers: t.field({ type: [ActionHeaderInput], description: 'At most 20; by default none.' }),
    inputSchema: t.field({
      type: 'JSONObject',
      description:
        'JSON Schema of its arguments, of type object: at most 16 KiB, without pattern and foreign references; by default it takes none.',
    }),
    timeoutSeconds: t.int({ description: 'Longest that it may take: 1 to 60, by default 15.' }),
  }),
});

const McpServerInput = builder.inputType('McpServerInput', {
  description: 'An MCP server whose tools the model may call.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description:
        '1 to 32 letters, digits, _ or -, beginning with a letter. The names of its tools begin with this and "_", and those of no other tool may.',
    }),
    integration: t.string({
      required: true,
      description: 'Name of an MCP integration: the one of this name in the environment that a run acts in.',
    }),
    tools: t.stringList({ description: "The server's own names of the tools to offer, at most 64; by default all." }),
    timeoutSeconds: t.int({ description: 'Longest that a call may take: 1 to 60, by default 15.' }),
  }),
});

/** What a draft says of server tools. */
export function actionInputs(t: InputFields) {
  return {
    httpActions: t.field({ type: [HttpActionInput], description: 'All of them, at most 32; by default none.' }),
    mcpServers: t.field({ type: [McpServerInput], description: 'All of them, at most 8; by default none.' }),
    resourceTools: t.field({
      type: [ResourceToolEnum],
      description: 'Those that are switched on; by default none.',
    }),
  };
}
