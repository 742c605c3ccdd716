import { COMPLETION_TOOL } from '../../contract/tool-names.ts';
import type { OfferedTool } from './tools.ts';

export const QUESTION_TYPES = ['text', 'single_select', 'multi_select'] as const;

/** Asks the user questions in the client (SPEC 2). */
export const ASK_USER: OfferedTool = {
  kind: 'client_tool',
  name: 'ask_user',
  description: 'Asks the user one or more questions and waits for the answers.',
  inputSchema: {
    type: 'object',
    properties: {
      questions: {
        type: 'array',
        minItems: 1,
        maxItems: 64,
        items: {
          type: 'object',
          properties: {
            id: { type: 'string', minLength: 1, description: 'Names the answer; unique in this call.' },
            question: { type: 'string', minLength: 1 },
            input_type: { type: 'string', enum: [...QUESTION_TYPES] },
            options: { type: 'array', items: { type: 'string' }, description: 'For the select types.' },
          },
          required: ['id', 'question', 'input_type'],
        },
      },
    },
    required: ['questions'],
  },
};

/** Asks the user for a file in the client (SPEC 2, WIRE 7). */
export const UPLOAD_DOCUMENT: OfferedTool = {
  kind: 'client_tool',
  name: 'upload_document',
  description: 'Asks the user for a document and waits for it.',
  inputSchema: {
    type: 'object',
    properties: {
      prompt: { type: 'string', description: 'What to ask the user for.' },
      accept: { type: 'array', items: { type: 'string' }, description: 'MIME types that will do.' },
      multiple: { type: 'boolean', description: 'Whether several files will do.' },
    },
    required: ['prompt'],
  },
};

/** Asks the server to complete the conversation for ever, once this turn has ended (SPEC 3). */
export const COMPLETE_CONVERSATION: OfferedTool = {
  kind: 'tool',
  name: COMPLETION_TOOL,
  description:
    'Permanently completes the conversation once you have answered. Call it last, when nothing is left to do or ask.',
  inputSchema: { type: 'object', additionalProperties: true },
};
