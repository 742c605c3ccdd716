import { CLIENT_TOOLS, isClientToolName } from '../../../contract/client-tools.ts';
import { COMPLETION_TOOL } from '../../../contract/tool-names.ts';
import type { OfferedTool } from './offered-tool.ts';

/** The client tool that Parley defines under this name; undefined for other names. */
export function builtInClientTool(name: string): OfferedTool | undefined {
  if (!isClientToolName(name)) return undefined;
  const { description, inputSchema } = CLIENT_TOOLS[name];
  return { kind: 'client_tool', name, description, inputSchema };
}

/** Lets the model complete the conversation permanently when this turn ends. */
export const COMPLETE_CONVERSATION: OfferedTool = {
  kind: 'tool',
  name: COMPLETION_TOOL,
  description:
    'Permanently completes the conversation once you have answered. Call it last, when nothing is left to do or ask.',
  inputSchema: { type: 'object', additionalProperties: true },
};
