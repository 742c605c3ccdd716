/** What a client tool may be called (WIRE 1). */
export const TOOL_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** The tool that the server runs itself: no client tool has its name. */
export const COMPLETION_TOOL = 'complete_conversation';

/** Server tools for the resources of the environment that a run acts in, each switched on by itself. */
export const RESOURCE_TOOLS = ['find_resources', 'read_resource', 'create_resource', 'update_resource'] as const;

export type ResourceTool = (typeof RESOURCE_TOOLS)[number];

/** Names that no configured action may have. */
export const BUILT_IN_TOOLS: readonly string[] = [COMPLETION_TOOL, 'ask_user', 'upload_document', ...RESOURCE_TOOLS];
