import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { HTTP_METHODS, TOOL_AVAILABILITIES } from '../../contract/statuses.ts';
import { RESOURCE_TOOLS } from '../../contract/tool-names.ts';

const clientTool = z.object({
  name: z.string(),
  description: z.string().default(''),
  availability: z.enum(TOOL_AVAILABILITIES).default('when_connected'),
  /** JSON Schema of the arguments; without one any object will do. */
  inputSchema: z.record(z.string(), z.unknown()).optional(),
});

const timeoutSeconds = z.int().min(1).max(LIMITS.actionSeconds).default(LIMITS.defaultActionSeconds);

const httpAction = z.object({
  name: z.string(),
  description: z.string().default(''),
  /** Name of an HTTP integration of the environment: `url` stands behind its address, and its headers are sent along. */
  integration: z.string().optional(),
  method: z.enum(HTTP_METHODS).default('GET'),
  /** `{name}` is filled from the arguments; absolute, or a path with an integration. */
  url: z.string(),
  /** No secrets: those are an integration's. */
  headers: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  /** JSON Schema of the arguments; without one there are none. */
  inputSchema: z.record(z.string(), z.unknown()).optional(),
  timeoutSeconds,
});

const mcpServer = z.object({
  /** What the names of its tools begin with. */
  name: z.string(),
  /** Name of an MCP integration of the environment. */
  integration: z.string(),
  /** The server's names of those that are offered; all where there is no list. */
  tools: z.array(z.string()).optional(),
  /** Longest that a call may take. */
  timeoutSeconds,
});

/** What a workflow's draft holds and a version freezes: how the assistant is to run. */
export const workflowConfig = z.object({
  /** `{{NAME}}` is filled from the conversation's variables. */
  instructions: z.string().default(''),
  /** `provider:model`; without one the service's DEFAULT_MODEL. */
  model: z.string().optional(),
  clientTools: z.array(clientTool).default([]),
  /** Requests that the server makes for the model. */
  httpActions: z.array(httpAction).default([]),
  /** MCP servers whose tools the model may call. */
  mcpServers: z.array(mcpServer).default([]),
  /** Built-in tools for the resources of the environment. */
  resourceTools: z.array(z.enum(RESOURCE_TOOLS)).default([]),
  /** JSON Schema of the reply, of type object: then the model answers with JSON, and `content` is the parsed object. */
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  /** The model writes a conversation's name after its first reply. */
  titleModel: z.boolean().default(false),
  allowConversationCompletion: z.boolean().default(false),
  /** Longest that one model step may take. */
  timeoutSeconds: z.int().min(1).max(LIMITS.timeoutSeconds).default(120),
  /** Earlier message pairs that the model is given where a turn does not say. */
  historyLimit: z.int().min(0).max(LIMITS.historyLimit).default(LIMITS.defaultHistoryLimit),
  /** Steps of one round in which the model may call tools; after them it has to answer. */
  maxSteps: z.int().min(1).max(LIMITS.modelSteps).default(LIMITS.modelSteps),
});

export type WorkflowConfig = z.output<typeof workflowConfig>;
export type WorkflowConfigInput = z.input<typeof workflowConfig>;

/** A request that the server makes for the model. */
export type HttpAction = WorkflowConfig['httpActions'][number];
/** An MCP server whose tools the model may call. */
export type McpServerConfig = WorkflowConfig['mcpServers'][number];
