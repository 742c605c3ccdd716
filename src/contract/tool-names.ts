/** What a client tool may be called (WIRE 1). */
export const TOOL_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** The tool that the server runs itself: no client tool has its name. */
export const COMPLETION_TOOL = 'complete_conversation';
