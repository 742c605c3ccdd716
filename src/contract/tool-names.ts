import { CLIENT_TOOL_NAMES } from './client-tools.ts';
import { LIMITS } from './limits.ts';

/** The form of a client tool's name (WIRE 1). */
export const TOOL_NAME_PATTERN = new RegExp(`^[A-Za-z][A-Za-z0-9_-]{0,${LIMITS.toolNameLength - 1}}$`);

/** The tool that the server runs itself: no client tool has its name. */
export const COMPLETION_TOOL = 'complete_conversation';

/** Server tools for the resources of the run's environment. A workflow enables each of them separately. */
export const RESOURCE_TOOLS = ['find_resources', 'read_resource', 'create_resource', 'update_resource'] as const;

export type ResourceTool = (typeof RESOURCE_TOOLS)[number];

/** Names that no configured action may have. */
export const BUILT_IN_TOOLS: readonly string[] = [COMPLETION_TOOL, ...CLIENT_TOOL_NAMES, ...RESOURCE_TOOLS];
