import { CLIENT_TOOLS, isClientToolName } from '../../../contract/client-tools.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { URGENCIES } from '../../../contract/statuses.ts';
import { COMPLETION_TOOL, HAND_OVER_TOOL } from '../../../contract/tool-names.ts';
import type { OfferedTool } from './offered-tool.ts';

/** The client tool that Parley defines under this name; undefined for other names. */
export function builtInClientTool(name: string): OfferedTool | undefined {
  if (!isClientToolName(name)) return undefined;
  const { description, inputSchema } = CLIENT_TOOLS[name];
  return { kind: 'client_tool', name, description, inputSchema };
}

/** Lets the model ask for a person. The conversation waits for one from then on. */
export const HAND_OVER: OfferedTool = {
  kind: 'tool',
  name: HAND_OVER_TOOL,
  description:
    'Asks a person of the team to take the conversation over. Call it if the user asks for a person, or if you cannot help. Then tell the user in one sentence that a person will answer here.',
  inputSchema: {
    type: 'object',
    properties: {
      reason: {
        type: 'string',
        maxLength: LIMITS.handOverReasonLength,
        description:
          'What the person needs to know: what the user wants, and what was tried. The user does not read it.',
      },
      urgency: { type: 'string', enum: URGENCIES, description: 'How soon a person is needed. Default: normal.' },
    },
    required: ['reason'],
    additionalProperties: false,
  },
};

/** Lets the model complete the conversation permanently when this turn ends. */
export const COMPLETE_CONVERSATION: OfferedTool = {
  kind: 'tool',
  name: COMPLETION_TOOL,
  description:
    'Permanently completes the conversation once you have answered. Call it last, when nothing is left to do or ask.',
  inputSchema: { type: 'object', additionalProperties: true },
};
