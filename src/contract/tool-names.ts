import { CLIENT_TOOL_NAMES } from './client-tools.ts';
import { LIMITS } from './limits.ts';

/** The form of a client tool's name. */
export const TOOL_NAME_PATTERN = new RegExp(`^[A-Za-z][A-Za-z0-9_-]{0,${LIMITS.toolNameLength - 1}}$`);

/** The tool that the server runs itself: no client tool has its name. */
export const COMPLETION_TOOL = 'complete_conversation';

/** The server tool that asks for a person. A workflow enables it, and then no other tool can have its name. */
export const HAND_OVER_TOOL = 'hand_over';

/** Server tools for the resources of the run's environment. A workflow enables each of them separately. */
export const RESOURCE_TOOLS = ['find_resources', 'read_resource', 'create_resource', 'update_resource'] as const;

/** The server tool that reads a file of the summarized part of a conversation. A tool of the workflow can have this name. */
export const READ_FILE_TOOL = 'read_file';

export type ResourceTool = (typeof RESOURCE_TOOLS)[number];

/** The form of a published document's name. Two names never become the same name of a type. */
export const DOCUMENT_NAME_PATTERN = /^[a-z][a-z0-9]*(_[a-z][a-z0-9]*)*$/;

/** Names that no configured action may have. */
export const BUILT_IN_TOOLS: readonly string[] = [COMPLETION_TOOL, ...CLIENT_TOOL_NAMES, ...RESOURCE_TOOLS];

/** Tools of the MCP server that every environment has. A published document is a tool too, so it has another name. */
export const MCP_TOOLS: readonly string[] = [
  'ask_deployment',
  'check_document',
  'create_resource',
  'list_deployments',
  'list_resources',
  'read_conversation',
  'read_resource',
  'read_type',
  'resume_conversation',
  'run_query',
  'search_conversations',
  'search_schema',
  'update_resource',
];

/** Names that no published document can have. Every JavaScript object has a `constructor`. */
export const RESERVED_DOCUMENT_NAMES: readonly string[] = [...MCP_TOOLS, 'constructor'];
